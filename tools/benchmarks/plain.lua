-- What wrk sends again and again where tools/benchmarks/load.py measures one kind of request, and what it says at the end.
-- Argument: a file with a line for each thread, the path and the ETag that was seen; without it, "/".

local tables = 0

function setup(thread)
  thread:set("place", tables)
  tables = tables + 1
end

function init(args)
  if not args[1] then return end
  local at = 0
  for line in io.lines(args[1]) do
    if at == place then
      wrk.path, wrk.headers["If-None-Match"] = line:match("(%S+) (%S+)")
    end
    at = at + 1
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local thousandths = {}
  for one = 1, 999 do thousandths[one] = string.format("%.6f", latency:percentile(one / 10) / 1e6) end
  io.write(string.format(
    "wrk {\"requests\": %d, \"seconds\": %f, \"errors\": %d, \"thousandths\": [%s]}\n",
    summary.requests, summary.duration / 1e6, failed, table.concat(thousandths, ", ")
  ))
end
