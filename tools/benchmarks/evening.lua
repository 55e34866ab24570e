-- An evening at many tables: what wrk sends where tools/benchmarks/load.py drives a server. One thread is one connection is
-- one table with four phones: three watch the live board, on the fourth lies the sheet.
--
-- Arguments: folder, share of the polls to send (1 or 0), requests of each table. Of the folder it reads
-- table-<n>.lua (who sits there) and state-<n>.lua (where the match stands); it writes that again, with sent-<n>.txt
-- (time, kind and microseconds of each request) and rounds-<n>.txt (each round that was acknowledged).

local ffi = require("ffi")
ffi.cdef [[ typedef struct { long seconds, nanoseconds; } moment; int clock_gettime(int, moment *); ]]
local moment = ffi.new("moment")

local function now()
  ffi.C.clock_gettime(1, moment)
  return tonumber(moment.seconds) + tonumber(moment.nanoseconds) / 1e9
end

-- Of the environment: seconds between two requests of a table in the mean (none: as fast as it is answered), how many
-- phones watch its board, and the name of a site that is behind a proxy with HTTPS.
local PACE, BOARDS = tonumber(os.getenv("PACE") or 0), tonumber(os.getenv("BOARDS") or 3)
local SITE = os.getenv("SITE")

local LOOKS = { -- what each table opens besides, how often a round
  -- polls: a round of two and a half minutes has a hundred times 1.5 s
  { "board, unchanged", 100 * BOARDS },
  { "sheet, unchanged", 100 },
  -- a phone that slept, and the one that deals next
  { "sheet opened", 1 },
  -- a question in every third round: typed with two pauses, or heard in three taps
  { "look-up", 2 / 3 },
  { "hearing", 1 },
  -- before and after a match, by everyone for a while
  { "home", 1 / 4 },
  { "history", 1 / 4 },
  { "match in history", 1 / 4 },
  { "statistics", 1 / 2 },
}
local QUESTIONS = { "can+i+put+%2B4+on+%2B4", "who+begins", "forgot+uno", "reverse+2+ppl", "finish+on+a+skip" }
local FACTS = { "", "?played=red-skip", "?played=red-reverse" }
local ROUNDS = 13 -- the target that load.py sets is reached then

local number, folder, share, left = 0, "", 1, 0
local table_, state, agenda -- who sits there, where their match stands, what they will look at before the next round
local talk, pending, kind, expected, began, answer
local sent, rounds = {}, {}
local tables = 0

function setup(thread)
  thread:set("place", tables)
  tables = tables + 1
end

local function file(name) return folder .. "/" .. name .. "-" .. number end

local function ask(what, status, method, path, more, body)
  local headers = { ["Accept-Encoding"] = "gzip", ["Cookie"] = table_.cookie }
  if SITE then
    headers["Host"], headers["Referer"] = SITE, "https://" .. SITE .. "/"
    headers["Cookie"] = "__Host-" .. table_.cookie
  end
  for name, value in pairs(more or {}) do headers[name] = value or nil end
  kind, expected = what, status
  return coroutine.yield(wrk.format(method, path, headers, body))
end

-- as gunicorn, waitress and HAProxy write it
local function etag(headers) return headers["ETag"] or headers["Etag"] or headers["etag"] end

local function begin()
  local words = { ["Authorization"] = "Bearer " .. table_.key, ["Content-Type"] = "application/json" }
  local _, headers = ask("match begun", 201, "POST", "/api/v1/matches", words, table_.plan)
  state = { match = (headers["Location"] or headers["location"]):match("([^/]+)$"), round = 0 }
  local path = "/matches/" .. state.match
  if BOARDS == 0 then state.board = "" return end
  ask("board opened", 303, "POST", path .. "/board", { ["X-CSRFToken"] = table_.csrf })
  local _, _, page = ask("board opened", 200, "GET", path .. "/invite", { ["Accept-Encoding"] = "identity" })
  state.board = page:match("/live/(%w+)")
  ask("board opened", 200, "GET", "/live/" .. state.board, { ["Cookie"] = false })
end

local function board(what, status)
  local seen = { ["If-None-Match"] = state.seen, ["Cookie"] = false }
  local _, headers = ask(what, status, "GET", "/live/" .. state.board .. "/now", seen)
  if status == 200 then state.fresh = etag(headers) end
end

local function follow() -- every phone learns of a change
  local _, headers = ask("sheet, changed", 200, "GET", "/matches/" .. state.match .. "/now", { ["X-Fragment"] = "1" })
  state.sheet, state.seen = etag(headers), '"before"'
  for _ = 1, BOARDS do board("board, changed", 200) end
  state.seen = state.fresh
end

local function record()
  local fields = { "ended=went-out", "after=" .. state.round, "idempotency_key=" .. state.match .. state.round }
  local winner = state.round % 4
  fields[#fields + 1] = "went_out=" .. table_.players[winner + 1]
  for place, hand in ipairs({ "7+skip+wild", "3+9", "draw-two" }) do
    fields[#fields + 1] = "hand-" .. table_.players[(winner + place) % 4 + 1] .. "=" .. hand
  end
  local words = { ["X-CSRFToken"] = table_.csrf, ["X-Fragment"] = "1" }
  words["Content-Type"] = "application/x-www-form-urlencoded"
  local path = "/matches/" .. state.match .. "/rounds/new"
  local status = ask("round recorded", 200, "POST", path, words, table.concat(fields, "&"))
  if status ~= 200 then return end
  state.round = state.round + 1
  rounds[#rounds + 1] = state.match .. " " .. state.round
  follow()
end

local looks = {
  ["board, unchanged"] = function() board("board, unchanged", 304) end,
  ["sheet, unchanged"] = function()
    local seen = { ["If-None-Match"] = state.sheet, ["X-Fragment"] = "1" }
    ask("sheet, unchanged", 304, "GET", "/matches/" .. state.match .. "/now", seen)
  end,
  ["look-up"] = function()
    local words = { ["Accept"] = "application/json", ["X-Fragment"] = "1" }
    local question = QUESTIONS[math.random(#QUESTIONS)]
    ask("look-up", 200, "GET", "/matches/" .. state.match .. "/rules?q=" .. question, words)
  end,
  ["hearing"] = function()
    local path = "/matches/" .. state.match .. "/disputes/played-card-effect" .. FACTS[math.random(#FACTS)]
    ask("hearing", 200, "GET", path)
  end,
}
local pages = {
  ["sheet opened"] = function() return "/matches/" .. state.match end,
  ["home"] = function() return "/" end,
  ["history"] = function() return "/history/" end,
  ["match in history"] = function() return "/history/matches/" .. state.match end,
  ["statistics"] = function() return "/history/players/" .. table_.known[math.random(#table_.known)] end,
}

local function look(what)
  if looks[what] then return looks[what]() end
  ask(what, 200, "GET", pages[what]())
end

local function new_agenda()
  local agenda = {}
  for _, one in ipairs(LOOKS) do
    local often = one[2] * (one[2] >= 100 and share or 1)
    often = math.floor(often) + (math.random() < often % 1 and 1 or 0)
    for _ = 1, often do agenda[#agenda + 1] = one[1] end
  end
  for last = #agenda, 2, -1 do -- in any order
    local other = math.random(last)
    agenda[last], agenda[other] = agenda[other], agenda[last]
  end
  return agenda
end

local function evening()
  local start = now() + math.min(90, 240 * PACE) * math.random() -- not all tables at once
  while PACE > 0 and now() < start do ask("not yet begun", 200, "GET", "/healthz") end
  if state and state.board then
    follow()
    if not agenda then -- somewhere within a round, so that tables do not go on in step
      agenda = new_agenda()
      for _ = 1, math.random(#agenda) do agenda[#agenda] = nil end
    end
  end
  while true do
    while agenda and #agenda > 0 do look(table.remove(agenda)) end
    if not state or not state.board or state.round == ROUNDS then begin() end
    record()
    agenda = new_agenda()
  end
end

local function save()
  local out = assert(io.open(file("state") .. ".lua", "w"))
  out:write("return {")
  for name, value in pairs(state or {}) do out:write(string.format("%s=%q,", name, value)) end
  if share > 0 then out:write(string.format("agenda=%q,", table.concat(agenda or {}, "|"))) end
  out:write("}")
  out:close()
  out = assert(io.open(file("rounds") .. ".txt", "a"))
  for _, line in ipairs(rounds) do out:write(line, "\n") end
  out:close()
  out = assert(io.open(file("sent") .. ".part", "w"))
  for _, line in ipairs(sent) do out:write(line, "\n") end
  out:close()
  os.rename(file("sent") .. ".part", file("sent") .. ".txt")
end

function init(args)
  number, folder, share, left = place, args[1], tonumber(args[2]), tonumber(args[3])
  math.randomseed(1000 + number)
  table_ = dofile(file("table") .. ".lua")
  talk = coroutine.create(evening)
  local known = loadfile(file("state") .. ".lua")
  state = known and known() or nil
  if not state then return end
  state.round = tonumber(state.round) -- %q writes it as text
  if state.agenda and share > 0 then
    agenda = {}
    for what in state.agenda:gmatch("[^|]+") do agenda[#agenda + 1] = what end
  end
  state.agenda = nil
end

if PACE > 0 then
  local due
  function delay()
    due = (due or now()) + 2 * PACE * math.random()
    return math.max(0, math.floor(1000 * (due - now())))
  end
end

function request()
  if not pending then -- asked again for one that had no answer, we send that again: under the same key
    local well, text = coroutine.resume(talk, unpack(answer or {}))
    pending = assert(well and text, text)
  end
  began = now()
  return pending
end

function response(status, headers, body)
  local ended = now()
  local what = status == expected and kind or ("error: " .. kind .. ", " .. status)
  sent[#sent + 1] = string.format("%.6f\t%d\t%s", ended, (ended - began) * 1e6, what)
  answer, pending = { status, headers, body }, nil
  left = left - 1
  if left == 0 then
    coroutine.resume(talk, unpack(answer)) -- it takes note of the answer; what it would ask next is not sent
    save()
    wrk.thread:stop()
  end
end
