/* What the program as it is shipped has in place of Foundation (ECO-30). swift-argument-parser names these parts of it, for an
 * option of which it does not tell users, and which describes the commands as JSON; and to ask of an error whether it has a text
 * for users. With them come 5 MB, a quarter of the program.
 *
 * deploy/build alone has this compiled: any other build has Foundation. Should another version of the parser name more of it, all
 * of it is linked again, twice what is here, and the linker says so. */
#ifdef WITHOUT_FOUNDATION
#include <stdint.h>
#include <unistd.h>

static _Noreturn void end(void) {
    static const char words[] = "portcullis: this build does not describe its commands as JSON: see  portcullis help\n";
    ssize_t written = write(2, words, sizeof words - 1);
    (void)written;
    _exit(64);
}

#define LEFT_OUT(name, symbol) \
    _Noreturn void name(void) __asm__(symbol); \
    void name(void) { end(); }

LEFT_OUT(encoder_type, "$s20FoundationEssentials11JSONEncoderCMa")
LEFT_OUT(make_encoder, "$s20FoundationEssentials11JSONEncoderCACycfc")
LEFT_OUT(pretty_printed, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV13prettyPrintedAEvau")
LEFT_OUT(sorted_keys, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV10sortedKeysAEvau")
LEFT_OUT(utf8, "$sSS20FoundationEssentialsE8EncodingV4utf8ACvau")
LEFT_OUT(string_of_data, "$sSS20FoundationEssentialsE4data8encodingSSSgAA4DataVh_SSAAE8EncodingVtcfC")

/* A protocol to which nothing conforms: its descriptor as the runtime reads it, which is a unique one (0x40) of a protocol (3)
 * that is not for classes alone (bit 16), without a parent, a name, requirements and associated types. */
extern const uint32_t localized_error[6] __asm__("$s20FoundationEssentials14LocalizedErrorMp");
const uint32_t localized_error[6] = {0x10043, 0, 0, 0, 0, 0};
#endif
