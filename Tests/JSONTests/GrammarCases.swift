import JSON
import Testing

/// A text, what it is about, and what the reader must make of it.
///
/// The first letter is that of the public suites of JSON parsers: `y` every reader accepts, `n` every reader refuses, `i`
/// readers differ, and we have decided.
struct GrammarCase: Sendable, CustomTestStringConvertible {
    let name: String
    let text: [UInt8]
    let refusal: JSONRefusal?

    var testDescription: String { name }

    init(_ name: String, _ text: String, _ refusal: JSONRefusal? = nil) {
        self.init(name, Array(text.utf8), refusal)
    }

    init(_ name: String, _ text: [UInt8], _ refusal: JSONRefusal? = nil) {
        self.name = name
        self.text = text
        self.refusal = refusal
    }
}

extension GrammarCase {
    /// What RFC 8259 derives, and what every reader accepts.
    static let accepted: [GrammarCase] = [
        .init("y_structure_number_alone", "42"), .init("y_structure_string_alone", #""name""#),
        .init("y_structure_true_alone", "true"), .init("y_structure_false_alone", "false"),
        .init("y_structure_null_alone", "null"), .init("y_structure_negative_alone", "-0.25"),
        .init("y_structure_empty_string_alone", #""""#), .init("y_structure_line_feed_behind", "[7]\n"),
        .init("y_structure_each_white_space", "\t\r\n [ \t1\r,\n2 ] \n"),
        .init("y_structure_white_space_in_object", "{ }"),
        .init("y_array_empty", "[]"), .init("y_array_of_empty_arrays", "[[],[[]],[]]"),
        .init("y_array_of_each_kind", #"[null,1,"1",{},[],true,false]"#), .init("y_array_of_empty_string", #"[""]"#),
        .init("y_array_with_space_before_comma", "[1 ,2]"), .init("y_array_of_nulls", "[null,null,null,null]"),
        .init("y_array_after_spaces", "   [1]"),
        .init("y_number_zero", "[0]"), .init("y_number_minus_zero", "[-0]"), .init("y_number_minus_one", "[-1]"),
        .init("y_number_zero_with_exponent", "[0e5]"), .init("y_number_zero_with_signed_exponent", "[0e+5]"),
        .init("y_number_minus_zero_with_fraction", "[-0.0]"), .init("y_number_of_many_digits", "[123456789012345678]"),
        .init("y_number_capital_exponent", "[3E9]"), .init("y_number_capital_negative_exponent", "[3E-9]"),
        .init("y_number_capital_positive_exponent", "[3E+9]"), .init("y_number_exponent_with_zeros", "[3e-009]"),
        .init("y_number_fraction", "[2.71828]"), .init("y_number_fraction_and_exponent", "[2.71828e10]"),
        .init("y_number_near_zero", "[-0.000000000001]"),
        .init("y_number_after_space", "[ 4]"), .init("y_number_before_each_end", "{\"a\":1,\"b\":[2]}"),
        .init("y_object_empty", "{}"), .init("y_object_one_member", #"{"a":1}"#),
        .init("y_object_empty_name", #"{"":0}"#), .init("y_object_name_is_a_null_character", #"{"x\u0000y":0}"#),
        .init("y_object_extreme_numbers", #"{"least":-1.0e+28,"most":1.0e+28}"#),
        .init(
            "y_object_long_strings",
            #"{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"}"#),
        .init("y_object_names_that_differ_in_case", #"{"alg":1,"ALG":2}"#),
        .init("y_object_with_line_feeds", "{\n\"a\"\n:\n1\n}"), .init("y_object_same_name_deeper", #"{"a":{"a":1}}"#),
        .init("y_string_ascii", #"["letters 0123 ~!@#$%^&*()"]"#),
        .init("y_string_each_escape", #"["\"\\\/\b\f\n\r\t"]"#),
        .init("y_string_escaped_letters", #"["\u0061\u30af\u30EA"]"#), .init("y_string_escaped_null", #"["\u0000"]"#),
        .init("y_string_escaped_control", #"["\u0012\u001f"]"#),
        .init("y_string_backslash_and_letter_u", #"["\\u0041"]"#),
        .init("y_string_escaped_quote_at_end", #"["end\""]"#), .init("y_string_surrogate_pair", #"["\ud834\udd1e"]"#),
        .init("y_string_two_surrogate_pairs", #"["\ud83d\ude39\ud83d\udc8d"]"#),
        .init("y_string_last_surrogate_pair", #"["\udbff\udfff"]"#),
        .init("y_string_escaped_noncharacters", #"["\ufdd0\uffff\udbff\udffe"]"#),
        .init("y_string_noncharacter", [0x22, 0xEF, 0xBF, 0xBF, 0x22]), .init("y_string_delete", "[\"\u{7F}\"]"),
        .init("y_string_two_bytes", #"["é"]"#), .init("y_string_three_bytes", #"["€"]"#),
        .init("y_string_four_bytes", #"["𝄞"]"#), .init("y_string_line_separators", "[\"\u{2028}\u{2029}\"]"),
        .init("y_string_escaped_line_separators", #"["\u2028\u2029"]"#),
        .init("y_string_solidus_unescaped", #"["a/b"]"#),
        .init("y_string_with_comment_marks", #"["a/*b*/c//d"]"#), .init("y_string_space", #"" ""#),
    ]

    /// What RFC 8259 does not derive, by what the reader says of it.
    static let refused: [GrammarCase] =
        endsEarly + otherBytes + noNumbers + noStrings + [
            .init("n_structure_two_values", "[1][2]", .trailingBytes),
            .init("n_structure_bracket_behind", "[1]]", .trailingBytes),
            .init("n_structure_comma_behind", "[1],", .trailingBytes),
            .init("n_structure_brace_behind", "{}}", .trailingBytes),
            .init("n_structure_letter_behind", "{\"a\":1}a", .trailingBytes),
            .init("n_structure_comment_behind", #"{"a":1}/**/"#, .trailingBytes),
            .init("n_structure_line_comment_behind", #"{"a":1}// x"#, .trailingBytes),
            .init("n_structure_hash_behind", #"{"a":1}#"#, .trailingBytes),
            .init("n_structure_null_character_behind", "[1]\u{0}", .trailingBytes),
            .init("n_structure_no_break_space_behind", "[1]\u{A0}", .trailingBytes),
            .init("n_structure_byte_order_mark_behind", "{}\u{FEFF}", .trailingBytes),
            .init("n_structure_string_behind", #""a""b""#, .trailingBytes),
            .init("n_structure_true_and_false", "true false", .trailingBytes),
            .init("n_structure_words_run_together", "nullnull", .trailingBytes),
            .init("n_number_space_inside", "1 000", .trailingBytes),
            .init("n_number_comma_inside", "1,000", .trailingBytes),
            .init("n_number_expression", "1/2", .trailingBytes), .init("n_number_times", "2*3", .trailingBytes),
        ]

    private static let endsEarly: [GrammarCase] = [
        ("n_structure_nothing", ""), ("n_structure_space_alone", " "), ("n_structure_line_feed_alone", "\n"),
        ("n_structure_open_bracket", "["), ("n_structure_open_brace", "{"), ("n_structure_open_brackets", "[[[["),
        ("n_structure_word_cut", "nul"), ("n_structure_other_word_cut", "[t"), ("n_structure_quotation_mark", "\""),
        ("n_array_unclosed", "[1"), ("n_array_comma_and_end", "[1,"), ("n_array_unclosed_after_line", "[1,\n2\n"),
        ("n_array_of_object_unclosed", "[{}"), ("n_object_name_and_end", #"{"a""#),
        ("n_object_colon_and_end", #"{"a":"#),
        ("n_object_value_and_end", #"{"a":1"#), ("n_object_comma_and_end", #"{"a":1,"#), ("n_object_name_cut", #"{"a"#),
        ("n_object_open_in_open", #"{"a":{"#), ("n_number_minus_alone", "-"), ("n_string_unclosed", #"["a"#),
        ("n_string_backslash_and_end", #""\"#), ("n_string_escape_cut", #""\u12"#), ("n_string_escaped_end", #""a\""#),
        ("n_string_second_surrogate_cut", #""\ud834\udd"#),
    ].map { GrammarCase($0.0, $0.1, .unexpectedEnd) }

    private static let otherBytes: [GrammarCase] = [
        ("n_array_no_comma", "[1 true]"), ("n_array_colon_for_comma", #"["a":1]"#), ("n_array_comma_alone", "[,]"),
        ("n_array_comma_first", "[,1]"), ("n_array_comma_last", "[1,]"), ("n_array_two_commas", "[1,,2]"),
        ("n_array_two_commas_last", "[1,,]"), ("n_array_semicolon", "[1;2]"), ("n_array_closed_by_brace", "[1}"),
        ("n_array_star", "[*]"), ("n_array_inner_without_comma", "[3[4]]"), ("n_array_vertical_tab", "[\u{B}1]"),
        ("n_array_form_feed", "[\u{C}1]"), ("n_array_value_that_is_none", "[x]"), ("n_array_ellipsis", "[1,…]"),
        ("n_object_comma_last", #"{"a":1,}"#), ("n_object_two_commas", #"{"a":1,,"b":2}"#),
        ("n_object_many_commas_last", #"{"a":1,,,,}"#), ("n_object_comma_alone", "{,}"),
        ("n_object_comma_for_colon", #"{"a",1}"#),
        ("n_object_two_colons", #"{"a"::1}"#), ("n_object_no_colon", #"{"a" 1}"#),
        ("n_object_equals_sign", #"{"a"=1}"#),
        ("n_object_name_alone", #"{"a"}"#), ("n_object_value_missing", #"{"a":}"#), ("n_object_name_missing", "{:1}"),
        ("n_object_name_unquoted", "{a:1}"), ("n_object_name_in_single_quotes", "{'a':1}"),
        ("n_object_name_number", "{1:1}"),
        ("n_object_name_null", "{null:1}"), ("n_object_name_array", "{[]:1}"), ("n_object_name_emoji", "{😀:1}"),
        ("n_object_value_word", #"{"a":yes}"#), ("n_object_value_in_single_quotes", #"{"a":'b'}"#),
        ("n_object_closed_by_bracket", #"{"a":1]"#), ("n_object_comment_inside", #"{"a":/*x*/1}"#),
        ("n_object_line_comment_inside", "{//x\n\"a\":1}"), ("n_object_semicolon", #"{"a":1;"b":2}"#),
        ("n_structure_closing_bracket", "]"), ("n_structure_closing_brace", "}"), ("n_structure_capital_true", "TRUE"),
        ("n_structure_capital_first", "True"), ("n_structure_word_of_python", "[none]"),
        ("n_structure_word_misspelt", "[nul]"),
        ("n_structure_angle_bracket", "<null>"), ("n_structure_single_quotes", "'a'"),
        ("n_structure_backslash_first", #"\u0031"#),
        ("n_structure_null_character_first", "\u{0}1"), ("n_structure_word_joiner_first", "\u{2060}[]"),
        ("n_structure_no_break_space_first", "\u{A0}[]"), ("n_structure_undefined", "undefined"),
        ("n_structure_function", "f()"), ("n_structure_guard_of_scripts", ")]}'\n{}"),
        ("n_string_in_backquotes", "`a`"),
        ("n_string_without_quotation_marks", "[a]"), ("n_number_fullwidth_digit", "[１]"),
        ("n_number_arabic_digit", "[٣]"),
        ("n_number_currency", "[$1]"), ("n_number_in_parentheses", "[(1)]"), ("n_number_in_letters", "[∞]"),
    ].map { GrammarCase($0.0, $0.1, .unexpectedByte) }

    private static let noNumbers: [GrammarCase] = [
        ("n_number_plus", "[+1]"), ("n_number_two_pluses", "[++1]"), ("n_number_two_minuses", "[--1]"),
        ("n_number_minus_and_space", "[- 1]"), ("n_number_minus_and_bracket", "[-]"),
        ("n_number_minus_and_letter", "[-x]"),
        ("n_number_leading_zero", "[012]"), ("n_number_negative_leading_zero", "[-012]"),
        ("n_number_two_zeros", "[00]"),
        ("n_number_dot_first", "[.5]"), ("n_number_minus_and_dot", "[-.5]"), ("n_number_dot_last", "[1.]"),
        ("n_number_dot_and_minus", "[.-1]"), ("n_number_dot_and_exponent", "[1.e1]"), ("n_number_two_dots", "[1.2.3]"),
        ("n_number_dot_behind", "[-1.0.]"), ("n_number_exponent_alone", "[1e]"),
        ("n_number_capital_exponent_alone", "[0E]"),
        ("n_number_exponent_and_sign", "[1e+]"), ("n_number_exponent_and_minus", "[1.5e-]"),
        ("n_number_two_exponents", "[1eE2]"),
        ("n_number_exponent_of_fraction", "[1e0.5]"), ("n_number_two_signs_in_exponent", "[1e+-2]"),
        ("n_number_hexadecimal", "[0x1]"), ("n_number_more_hexadecimal", "[0xFF]"), ("n_number_octal", "[0o7]"),
        ("n_number_binary", "[0b1]"), ("n_number_letter_behind", "[1a]"), ("n_number_suffix_of_type", "[1L]"),
        ("n_number_minus_inside", "[1-1]"), ("n_number_plus_inside", "[1+1]"),
        ("n_number_not_a_number", "[NaN]"), ("n_number_negative_not_a_number", "[-NaN]"),
        ("n_number_infinity", "[Infinity]"),
        ("n_number_negative_infinity", "[-Infinity]"), ("n_number_inf", "[Inf]"), ("n_number_plus_inf", "[+Inf]"),
        ("n_number_imaginary", "[1i]"), ("n_number_at_the_end", "[1.2e]"), ("n_number_alone_and_cut", "1."),
    ].map { GrammarCase($0.0, $0.1, .invalidNumber) }

    private static let noStrings: [GrammarCase] = [
        .init("n_string_escape_of_x", #""\x41""#, .invalidEscape),
        .init("n_string_escape_of_quote", #""\'""#, .invalidEscape),
        .init("n_string_escape_of_a", #""\a""#, .invalidEscape),
        .init("n_string_escape_of_zero", #""\0""#, .invalidEscape),
        .init("n_string_escape_of_space", #""\ ""#, .invalidEscape),
        .init("n_string_capital_u", #""\U0041""#, .invalidEscape),
        .init("n_string_escape_of_three_digits", #""\u004""#, .invalidEscape),
        .init("n_string_escape_with_letter", #""\u00g1""#, .invalidEscape),
        .init("n_string_escape_in_braces", #""\u{41}""#, .invalidEscape),
        .init("n_string_escape_of_emoji", #""\😀""#, .invalidEscape),
        .init("n_string_escape_of_tab", "\"\\\t\"", .invalidEscape),
        .init("n_string_escape_of_line_feed", "\"\\\n\"", .invalidEscape),
        .init("n_string_escape_of_null_character", "\"\\\u{0}\"", .invalidEscape),
        .init("n_string_escape_of_broken_byte", [0x22, 0x5C, 0xE5, 0x22], .invalidEscape),
        .init("n_string_escape_as_name", #"{"\q":1}"#, .invalidEscape),
        .init("n_string_second_surrogate_escaped_wrongly", #""\ud834\u12x4""#, .invalidEscape),
        .init("n_string_line_feed", "\"a\nb\"", .controlCharacter), .init("n_string_tab", "\"\t\"", .controlCharacter),
        .init("n_string_null_character", "\"\u{0}\"", .controlCharacter),
        .init("n_string_last_control", "\"\u{1F}\"", .controlCharacter),
        .init("n_string_name_with_line_feed", "{\"a\n\":1}", .controlCharacter),
        .init("n_string_closed_by_line_feed", "[\"a\n]", .controlCharacter),
    ]

    /// What readers differ about.
    ///
    /// A token that two of them read differently is an attack, so that nearly all of it is refused.
    static let decided: [GrammarCase] = [
        .init("i_number_beyond_every_double", "[1e9999]"), .init("i_number_below_every_double", "[-1e9999]"),
        .init("i_number_nearer_to_zero_than_every_double", "[1e-9999]"),
        .init("i_number_integer_beyond_64_bits", "[100000000000000000000]"),
        .init("i_number_negative_integer_beyond_64_bits", "[-100000000000000000000]"),
        .init("i_number_exponent_beyond_64_bits", "[0.4e99999999999999999999]"),
        .init("i_number_fraction_of_many_digits", "[0.1234567890123456789012345678901234567890]"),
        .init("i_object_same_name_twice", #"{"a":1,"a":1}"#, .duplicateMember),
        .init("i_object_same_name_escaped", #"{"a":1,"\u0061":2}"#, .duplicateMember),
        .init("i_object_same_empty_name", #"{"":1,"":2}"#, .duplicateMember),
        .init("i_object_name_is_half_a_pair", #"{"\udfaa":0}"#, .loneSurrogate),
        .init("i_string_first_surrogate_alone", #""\udada""#, .loneSurrogate),
        .init("i_string_second_surrogate_alone", #""\udc00""#, .loneSurrogate),
        .init("i_string_surrogates_in_other_order", #""\udd1e\ud834""#, .loneSurrogate),
        .init("i_string_first_surrogate_twice", #""\ud800\ud800\udc00""#, .loneSurrogate),
        .init("i_string_first_surrogate_and_letter", #""\ud800a""#, .loneSurrogate),
        .init("i_string_first_surrogate_and_escape", #""\ud800\n""#, .loneSurrogate),
        .init("i_string_continuation_byte_alone", [0x22, 0x81, 0x22], .invalidUTF8),
        .init("i_string_latin_1", [0x22, 0xE9, 0x22], .invalidUTF8),
        .init("i_string_surrogate_in_utf_8", [0x22, 0xED, 0xA0, 0x80, 0x22], .invalidUTF8),
        .init("i_string_overlong_in_two_bytes", [0x22, 0xC0, 0xAF, 0x22], .invalidUTF8),
        .init("i_string_overlong_in_three_bytes", [0x22, 0xE0, 0x80, 0xAF, 0x22], .invalidUTF8),
        .init("i_string_overlong_in_four_bytes", [0x22, 0xF0, 0x80, 0x80, 0xAF, 0x22], .invalidUTF8),
        .init("i_string_six_bytes", [0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22], .invalidUTF8),
        .init("i_string_beyond_unicode", [0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22], .invalidUTF8),
        .init("i_string_sequence_cut", [0x22, 0xE0, 0xFF, 0x22], .invalidUTF8),
        // Foundation's reader drops it: a name with it and the name without would be one.
        .init("i_string_byte_order_mark_inside", "{\"alg\":1,\"\u{FEFF}alg\":2}"),
        .init("i_string_encoded_in_utf_16_low_first", [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], .unexpectedByte),
        .init("i_string_encoded_in_utf_16_high_first", [0x00, 0x5B, 0x00, 0x5D], .unexpectedByte),
        .init("i_string_encoded_in_utf_32", [0x5B, 0x00, 0x00, 0x00, 0x5D, 0x00, 0x00, 0x00], .unexpectedByte),
        .init("i_structure_byte_order_mark", [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], .byteOrderMark),
        .init("i_structure_byte_order_mark_cut", [0xEF, 0xBB], .unexpectedByte),
        .init(
            "i_structure_500_arrays", String(repeating: "[", count: 500) + String(repeating: "]", count: 500), .tooDeep),
        .init("i_structure_100_000_open_arrays", String(repeating: "[", count: 100_000), .tooDeep),
        .init("i_structure_open_objects_in_arrays", String(repeating: #"[{"":"#, count: 50_000), .tooDeep),
    ]
}
