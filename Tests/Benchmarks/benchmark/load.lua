-- What wrk does beyond repeating one request: take tokens in turn, and print its totals as one line of JSON.

local token_file = os.getenv("BENCHMARK_TOKENS")

if token_file then
  local requests, at = {}, 0

  -- Every request is put together before the load begins: the load generator shares its processor with the origin.
  function init(arguments)
    for line in io.lines(token_file) do
      wrk.headers["Authorization"] = "Bearer " .. line
      requests[#requests + 1] = wrk.format()
    end
  end

  -- wrk asks for one request before it begins, to look at, and does not send it.
  local looked = false

  function request()
    if not looked then
      looked = true
      return requests[1]
    end
    at = at % #requests + 1
    return requests[at]
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nTOTALS {"requests":%d,"microseconds":%d,"bytes":%d,"p50":%d,"p99":%d,"wrong":{"connect errors":%d,' ..
    '"read errors":%d,"write errors":%d,"timeouts":%d,"statuses above 399":%d}}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
