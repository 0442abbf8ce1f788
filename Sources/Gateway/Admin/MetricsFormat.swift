import Access
import Telemetry

extension ExpositionFormat {
    /// OpenMetrics where it is asked for by its name, and no less wanted than the text format of Prometheus; else the latter.
    ///
    /// Everybody reads the latter: browsers, and scrapers that say nothing.
    init(accepted accept: [UInt8]) {
        self = accept.withUnsafeBufferPointer { value in
            let wanted = AcceptField.weight(of: "application/openmetrics-text", in: value.span)
            let isWanted = wanted > 0 && wanted >= AcceptField.weight(of: "text/plain", in: value.span)
            return isWanted ? .openMetrics : .prometheusText
        }
    }
}
