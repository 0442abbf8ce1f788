-- SPDX-License-Identifier: Apache-2.0
-- What wrk does beyond repeating one request: take tokens or proofs in turn, and print its totals as one line of JSON.

local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int process, int signal);")
local INTERRUPT = 2

local token_file, proof_file = os.getenv("BENCHMARK_TOKENS"), os.getenv("BENCHMARK_PROOFS")
local after, count = tonumber(os.getenv("BENCHMARK_AFTER") or 0), tonumber(os.getenv("BENCHMARK_COUNT"))

if token_file or proof_file then
  local requests, at = {}, 0

  -- Every request is put together before the load begins: the load generator shares its processor with the origin.
  function init(arguments)
    local number = 0
    for line in io.lines(token_file or proof_file) do
      number = number + 1
      if token_file then
        wrk.headers["Authorization"] = "Bearer " .. line
        requests[#requests + 1] = wrk.format()
      elseif number > after and not (count and #requests == count) then
        local token, proof = line:match("^(%S+) (%S+)$")
        wrk.headers["Authorization"] = "DPoP " .. token
        wrk.headers["DPoP"] = proof
        requests[#requests + 1] = wrk.format()
      end
    end
  end

  -- wrk asks for one request before it begins, to look at, and does not send it.
  local looked = false

  function request()
    if not looked then
      looked = true
      return requests[1]
    end
    at = at + 1
    if at > #requests then
      if count then
        -- A proof is good for one request: when all are used, wrk ends as it would on Ctrl-C, with its totals.
        wrk.thread:stop()
        ffi.C.kill(ffi.C.getpid(), INTERRUPT)
        at = #requests
      else
        at = 1
      end
    end
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
