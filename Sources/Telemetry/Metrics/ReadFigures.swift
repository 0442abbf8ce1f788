extension MetricsRegistry {
    /// Every number of routes, upstreams and logins now, summed over the workers.
    ///
    /// For the control loop: allocates, and reads what workers write without stopping them.
    package var figures: MetricsFigures {
        let (shown, logs) = (shownNow, logsNow)
        var figures = FigureReader(shown: shown).read()
        figures.droppedLogLines = logs.reduce(0) { $0 &+ $1.droppedLines }
        return figures
    }

    /// How reloads went, what is alive, how full the replay set is, and when the process began.
    package var readings:
        (reloads: ReloadReadings, serving: ServingReadings, replay: ReplayReadings?, startTime: Timestamp)
    {
        (reloadReadings, servingNow, replayNow, startTime)
    }
}

/// Reads the numbers of all workers into values.
private struct FigureReader {
    let shown: ShownMetrics
    private var labels: MetricsLabels { shown.labels }

    func read() -> MetricsFigures {
        var figures = MetricsFigures()
        figures.routes = shown.slots.rows.map(route)
        figures.upstreams = labels.upstreams.map(upstream)
        figures.logins = labels.logins.enumerated().map { login($0, $1) }
        figures.clientConnections = gauge(.clientConnections)
        figures.upstreamConnections = gauge(.upstreamConnections)
        for worker in shown.workers {
            for reason in HandshakeReason.allCases {
                figures.handshakeFailures &+= worker.bank.load(worker.layout.firstHandshake + reason.place)
            }
        }
        return figures
    }

    private func gauge(_ gauge: WorkerGauge) -> Int64 {
        shown.workers.reduce(0) { sum, worker in
            sum &+ Int64(bitPattern: worker.bank.load(worker.layout.firstGauge + gauge.rawValue))
        }
    }

    private func route(_ row: MetricsRow) -> RouteFigures {
        var figures = RouteFigures(row.name, slot: row.slot, tenure: row.tenure)
        let workers = shown.workers.filter { row.tenure == $0.tenure(of: row.slot) }
        var all = HistogramReading()
        for index in MetricsLayout.statusClasses.indices {
            var reading = HistogramReading()
            for worker in workers {
                reading.add(worker.bank.cells, at: worker.layout.request(route: row.slot, statusClass: index))
            }
            if MetricsLayout.statusClasses[index] == "5xx" { figures.serverErrors = reading.count }
            all.add(reading)
        }
        figures.durations = DurationFigures(all)
        figures.refusals = causes { cause in
            workers.reduce(0) { sum, worker in
                sum &+ worker.bank.load(worker.layout.refusal(route: row.slot, cause: cause))
            }
        }
        return figures
    }

    private func upstream(_ name: String) -> UpstreamFigures {
        let reading = UpstreamReading(name, shown.workers)
        var figures = UpstreamFigures(name)
        figures.isUp = reading.isUp
        figures.connections = reading.connections
        figures.failures = UpstreamFailure.allCases.compactMap { failure in
            let count = reading.failures(failure)
            return count == 0 ? nil : CauseFigures(failure.label, count: count)
        }
        var all = HistogramReading()
        for index in MetricsLayout.statusClasses.indices { all.add(reading.durations(statusClass: index)) }
        figures.durations = DurationFigures(all)
        return figures
    }

    private func login(_ index: Int, _ client: String) -> LoginFigures {
        var figures = LoginFigures(client)
        figures.starts = shown.logins.starts(client: index)
        figures.succeeded = shown.logins.logins(client: index, .succeeded)
        figures.logouts = shown.logins.logouts(client: index)
        figures.refusals = causes { shown.logins.refusals(client: index, cause: $0) }
        return figures
    }

    private func causes(_ count: (Int) -> UInt64) -> [CauseFigures] {
        labels.causes.enumerated().compactMap { index, label in
            let count = count(index)
            return count == 0 ? nil : CauseFigures(label.cause, blame: label.blame, count: count)
        }
    }
}
