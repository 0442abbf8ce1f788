import JSON

/// Members of objects, as both kinds of explanation write them.
extension JSONWriter {
    /// A member that is a text.
    mutating func put(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    /// A member that is a list of texts.
    mutating func put(_ name: String, _ values: [String]) {
        self.name(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    /// A member that is a list of names with their values.
    mutating func put(_ name: String, _ pairs: [(name: String, value: String)]) {
        self.name(name)
        beginArray()
        for pair in pairs {
            beginObject()
            put("name", pair.name)
            put("value", pair.value)
            endObject()
        }
        endArray()
    }
}
