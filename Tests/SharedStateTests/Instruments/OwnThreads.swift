import Dispatch

/// Runs the jobs of tasks on threads of its own, so that tests may wait for them on any other.
final class OwnThreads: TaskExecutor, @unchecked Sendable {
    static let shared = OwnThreads()

    private let queue = DispatchQueue(label: "portcullis.tests.store", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
