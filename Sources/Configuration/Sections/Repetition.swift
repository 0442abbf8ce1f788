/// A value said twice in one list: one of the two was meant to be something else.
enum Repetition {
    static func refuse(_ texts: [PlacedText], _ problems: ProblemList) {
        for (index, text) in texts.enumerated() where texts[..<index].contains(where: { $0.text == text.text }) {
            problems.error(
                at: text.place, expected: "each value once", found: "\(Quoted.text(text.text)) again",
                remedy: "keep one of them")
        }
    }
}
