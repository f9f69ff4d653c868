import Foundation
import RecordSync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The system's own client: for what is encrypted on the way, and on Apple's platforms for all.
///
/// A running request is never cancelled: on Linux that can end the process. Its answer is thrown
/// away instead when it comes.
final class SystemTransport: HTTPTransport {
    private let server: ServerURL
    private let session: URLSession

    init(server: ServerURL) {
        self.server = server
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        session = URLSession(
            configuration: configuration,
            delegate: RedirectRefusal(),
            delegateQueue: nil
        )
    }

    func perform(_ call: HTTPCall) async throws(TransportFailure) -> HTTPReply {
        let scheme = server.isSecure ? "https" : "http"
        guard let url = URL(string: "\(scheme)://\(server.authority)\(server.path)\(call.target)")
        else { throw TransportFailure(mayHaveArrived: false, reason: "the address is none") }
        var request = URLRequest(url: url, timeoutInterval: Double(call.milliseconds) / 1_000)
        request.httpMethod = call.method
        for field in call.fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        if call.method != "GET" {
            request.setValue(call.contentType, forHTTPHeaderField: "content-type")
            request.httpBody = Data(call.body)
        }
        let answer = AwaitedReply()
        let task = session.dataTask(with: request) { data, response, error in
            answer.finish(with: Self.result(data, response, error))
        }
        task.resume()
        return try await answer.value().get()
    }

    private static func result(
        _ data: Data?,
        _ response: URLResponse?,
        _ error: (any Error)?
    ) -> Result<HTTPReply, TransportFailure> {
        guard let response = response as? HTTPURLResponse, error == nil else {
            let code = (error as? URLError)?.code
            let isUnsent =
                code == .cannotConnectToHost || code == .cannotFindHost
                || code == .notConnectedToInternet || code == .dnsLookupFailed
            let reason = error.map { "\($0.localizedDescription)" } ?? "no answer came"
            return .failure(TransportFailure(mayHaveArrived: !isUnsent, reason: reason))
        }
        let body = data ?? Data()
        guard body.count <= ReplyLimits.bodyByteCountMax else {
            return .failure(
                TransportFailure(mayHaveArrived: true, reason: "the answer is too long")
            )
        }
        var reply = HTTPReply(status: response.statusCode, body: Array(body))
        reply.retryAfterSeconds = response.value(forHTTPHeaderField: "retry-after")
            .flatMap { Double($0) }
        return .success(reply)
    }
}

/// Follows nobody who points elsewhere: a token is for one server.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// An answer that is waited for until it comes or its waiter is cancelled.
private final class AwaitedReply: Sendable {
    private typealias Outcome = Result<HTTPReply, TransportFailure>
    private let state = Guarded<State>(.open)

    private enum State {
        case open
        case waiting(CheckedContinuation<Result<HTTPReply, TransportFailure>, Never>)
        case finished(Result<HTTPReply, TransportFailure>)
    }

    func finish(with result: Result<HTTPReply, TransportFailure>) {
        let waiter = state.withLock {
            state -> CheckedContinuation<Result<HTTPReply, TransportFailure>, Never>? in
            switch state {
            case .open:
                state = .finished(result)
                return nil
            case .waiting(let continuation):
                state = .finished(result)
                return continuation
            case .finished:
                return nil
            }
        }
        waiter?.resume(returning: result)
    }

    func value() async -> Result<HTTPReply, TransportFailure> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result<HTTPReply, TransportFailure>? in
                    if case .finished(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            finish(
                with: .failure(
                    TransportFailure(mayHaveArrived: true, reason: "the request was cancelled")
                )
            )
        }
    }
}
