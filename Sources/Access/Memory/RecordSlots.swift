/// Places for records, all of them empty at first, in pages that come into being when something is put there: an idle
/// worker pays nothing for a table of a hundred thousand, and no request waits until one has grown.
@safe
struct RecordSlots {
    private static let pageSize = 512

    private typealias Page = UnsafeMutablePointer<TokenRecord?>

    // Its owner's alone, until `destroy`; each page has `pageSize` places, and there are as many pages as `init` says.
    private let pages: UnsafeMutablePointer<Page?>
    /// How many places there are.
    let count: Int

    /// At least so many places: a power of two, and not less than a page.
    init(atLeast wanted: Int) {
        var count = RecordSlots.pageSize
        while count < wanted { count *= 2 }
        self.count = count
        unsafe pages = UnsafeMutablePointer<Page?>.allocate(capacity: count / RecordSlots.pageSize)
        unsafe pages.initialize(repeating: nil, count: count / RecordSlots.pageSize)
    }

    /// What is at a place, if anything; the place that follows the last is the first.
    subscript(_ place: Int) -> TokenRecord? {
        get {
            // The mask keeps every place within the pages there are.
            let place = place & (count - 1)
            guard let page = unsafe pages[place / RecordSlots.pageSize] else { return nil }
            return unsafe page[place % RecordSlots.pageSize]
        }
        nonmutating set {
            let place = place & (count - 1)
            let page = unsafe pages[place / RecordSlots.pageSize] ?? add(place / RecordSlots.pageSize)
            unsafe page[place % RecordSlots.pageSize] = newValue
        }
    }

    /// Frees the places; what is at them is their owner's.
    func destroy() {
        for number in 0..<(count / RecordSlots.pageSize) { unsafe pages[number]?.deallocate() }
        unsafe pages.deallocate()
    }

    private func add(_ number: Int) -> Page {
        let page = Page.allocate(capacity: RecordSlots.pageSize)
        unsafe page.initialize(repeating: nil, count: RecordSlots.pageSize)
        unsafe pages[number] = page
        return unsafe page
    }
}
