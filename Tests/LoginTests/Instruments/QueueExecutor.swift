import Dispatch

/// Runs the jobs of tasks one after the other, and says when all of them have come as far as they can.
final class QueueExecutor: TaskExecutor, @unchecked Sendable {
    private let queue = DispatchQueue(label: "portcullis.tests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits until every job that was given before has run: its task has ended, or waits for something.
    func settle() { queue.sync {} }
}
