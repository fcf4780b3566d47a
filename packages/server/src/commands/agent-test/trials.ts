import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '@copydesk/core'
import type { Call, ProbeSession, Taken, Trial } from './probe-session.ts'

/** How long the runtime is observed after a result: it must not send anything. */
const quietMs = 3_000
/** The shortest timeout that an agent can have. */
const shortestMs = 10_000
/** How long a runtime may take to receive a cancellation, and to stop. */
const cancelMs = 25_000
const answerMs = 15_000

const isResult = ({ name }: Call) => name === 'result'
const isTaken = ({ status }: Call) => status < 300
const isRefused = ({ status }: Call) => status >= 300 && status !== 429
const isDelta = ({ name }: Call) => name === 'stream'

/**
 * Tests a runtime step by step. Skips steps that a previous fault makes impossible.
 * @param waitMs maximum duration of a run
 */
export async function tryOut(session: ProbeSession, waitMs: number): Promise<Finding[]> {
  const steps = [...(await guarded(session))]
  const trial = await session.give(3_600_000)
  steps.push(answered(trial.taken))
  if (!steps.at(-1)?.ok) return steps
  const repeated = await trial.again()
  await until(() => trial.calls().some((call) => isResult(call) && isTaken(call)), waitMs)
  const delivered = result(trial, session, waitMs)
  steps.push(delivered)
  if (!delivered.ok) return steps
  await sleep(quietMs)
  steps.push(inOrder(trial), once(trial, repeated), quiet(trial), ...limited(trial))
  const alive = await beats(session, waitMs)
  steps.push(alive)
  if (alive.ok) steps.push(await cancelled(session))
  return steps
}

function step(name: string, ok: boolean, message: string, remedy: string): Finding {
  return { name, ok, message, ...(!ok && { remedy }) }
}

async function guarded({ secret, post, calls }: ProbeSession): Promise<Finding[]> {
  if (!secret) return [{ name: 'secret', ok: true, message: 'not tested: --secret-env names none' }]
  const body = JSON.stringify({
    taskId: '00000000000000000000000000',
    taskToken: 'none',
    timeoutMs: shortestMs,
  })
  const wrong = await post(body, { [secret.header]: `${secret.value}.` })
  const none = await post(body, {})
  const answers = [wrong, none].map(({ status, fault }) => status ?? fault)
  const ok = [wrong, none].every(({ status }) => status === 401 || status === 403) && calls.length === 0
  const remedy = `Compare the header ${secret.header} with the secret before anything else, and answer 401 when it differs.`
  return [
    step(
      'secret',
      ok,
      `a request with a wrong secret is answered ${answers[0]}, one without a secret ${answers[1]}`,
      remedy,
    ),
  ]
}

function answered({ status, fault, ms }: Taken): Finding {
  const name = 'answer'
  if (status === undefined) {
    return step(
      name,
      false,
      `the dispatch was not answered: ${fault}`,
      'Check that the runtime listens at --url, and that it responds before it starts the run.',
    )
  }
  if (ms > answerMs)
    return step(
      name,
      false,
      `the dispatch was answered after ${ms} ms`,
      'Respond with 202 within 15 seconds, and execute the run afterwards.',
    )
  const hint =
    status === 401 || status === 403
      ? 'Configure the same secret on both sides: --secret-env and --header.'
      : 'Respond with 202.'
  return step(name, status < 300, `the dispatch was answered ${status} after ${ms} ms`, hint)
}

function result(trial: Trial, session: ProbeSession, waitMs: number): Finding {
  const name = 'result'
  const tried = trial.calls().filter(isResult)
  const taken = tried.find(isTaken)
  // The trial of repeated dispatches reports an early result.
  const refused = tried.find((call) => !isTaken(call) && call.status !== 409 && call.status !== 429)
  if (refused) {
    const why = refused.answer.error?.message ?? ''
    const remedy = 'Send the body as docs/agents/protocol.md describes it under “The result”.'
    return step(name, false, `the result was rejected with ${refused.status}: ${why}`, remedy)
  }
  if (taken) return step(name, true, `delivered: ${String(taken.body['status'])}`, '')
  const heard = trial.calls().length
  return step(
    name,
    false,
    `no result within ${waitMs / 1_000} s, and ${heard} other requests`,
    heard > 0
      ? 'Deliver a result at the end of each run, also of a failed one; --wait extends the time.'
      : `Configure the runtime to report to ${session.url}: its base URL, or the callbackUrl of the dispatch.`,
  )
}

function inOrder(trial: Trial): Finding {
  const name = 'text'
  const calls = trial.calls()
  const end = calls.findIndex((call) => isResult(call) && isTaken(call))
  const pieces = calls.slice(0, end).filter(isDelta)
  // A delta that was still pending when the result arrived is refused because the run has ended, which `quiet` reports.
  const refused = calls.slice(0, calls[end]?.arrivedAfter).find((call) => isDelta(call) && isRefused(call))
  if (refused) {
    const why = `${refused.status}: ${refused.answer.error?.message ?? ''}`
    return step(
      name,
      false,
      `a delta was rejected with ${why}`,
      'Send { delta, sequenceNum } while the run is running.',
    )
  }
  const numbers = pieces.filter(isTaken).map(({ body }) => Number(body['sequenceNum']))
  if (numbers.length === 0) return step(name, true, 'no text was streamed, which is allowed', '')
  const gap = numbers.findIndex(
    (number, i) => i > 0 && number !== Number(numbers[i - 1]) + 1 && number !== numbers[i - 1],
  )
  const remedy =
    'Send one delta after the other, numbered from 0 without a gap; a retried delta keeps its number.'
  const message =
    gap < 0
      ? `${numbers.length} deltas in order`
      : `number ${numbers[gap - 1]} is followed by ${numbers[gap]}`
  return step(name, gap < 0, message, remedy)
}

function once(trial: Trial, repeated: Taken): Finding {
  const results = trial.calls().filter((call) => isResult(call) && call.status !== 429)
  const remedy =
    'Keep the ids of active and finished runs: respond with 202 to a dispatch that came before, and ignore it.'
  if (repeated.status === undefined || repeated.status >= 300)
    return step(
      'repetition',
      false,
      `the repeated dispatch was answered ${repeated.status ?? repeated.fault}`,
      remedy,
    )
  const message = `a run that is dispatched twice is delivered ${results.length === 1 ? 'once' : `${results.length} times`}`
  return step('repetition', results.length === 1, message, remedy)
}

function quiet(trial: Trial): Finding {
  const calls = trial.calls()
  const end = calls.findIndex((call) => isResult(call) && isTaken(call))
  const pending = calls
    .slice(calls[end]?.arrivedAfter, end)
    .filter((call) => isDelta(call) && isRefused(call))
  const late = [...pending, ...calls.slice(end + 1).filter((call) => !isResult(call))]
  const message =
    late.length === 0 ? 'nothing is sent after the result' : `the result is followed by ${late[0]?.name}`
  return step(
    'end',
    late.length === 0,
    message,
    'Wait for pending requests before you deliver, and stop the heartbeat with the result.',
  )
}

function limited(trial: Trial): Finding[] {
  const refused = trial.calls().filter(({ status }) => status === 429).length
  if (refused === 0) return []
  const remedy = 'Buffer text for some seconds: a run may send 60 requests a minute in total.'
  return [step('limit', false, `${refused} requests were rejected with 429`, remedy)]
}

/** Delays requests until the run's time is over: only a heartbeat extends it. */
async function held<T>(session: ProbeSession, work: () => Promise<T>): Promise<T> {
  const release = Promise.withResolvers<void>()
  session.hold = release.promise
  try {
    return await work()
  } finally {
    session.hold = undefined
    release.resolve()
  }
}

async function beats(session: ProbeSession, waitMs: number): Promise<Finding> {
  const hasBeaten = (trial: Trial) => trial.calls().some((call) => call.name === 'heartbeat' && isTaken(call))
  const trial = await held(session, async () => {
    const trial = await session.give(shortestMs)
    await until(() => hasBeaten(trial), shortestMs)
    return trial
  })
  const remedy =
    'Call POST /agent/v1/runs/:runId/heartbeat several times within timeoutMs, in parallel to the run and until the result is accepted.'
  if (!hasBeaten(trial))
    return step('heartbeat', false, `no heartbeat within the ${shortestMs / 1_000} s of a run`, remedy)
  await until(() => trial.calls().some((call) => isResult(call)), waitMs)
  const last = trial.calls().find(isResult)
  const ok = last !== undefined && isTaken(last)
  const message = ok
    ? 'arrives in time, and the result is accepted'
    : `arrives, but the result ${last ? `is rejected with ${last.status}` : 'does not'}`
  return step('heartbeat', ok, message, 'Use the new taskToken from the response to the heartbeat.')
}

async function cancelled(session: ProbeSession): Promise<Finding> {
  const name = 'cancel'
  const heard = (trial: Trial) => trial.calls().findIndex((call) => call.answer.cancel === true)
  const trial = await held(session, async () => {
    const trial = await session.give(shortestMs)
    await trial.withdraw()
    await until(() => heard(trial) >= 0, cancelMs)
    return trial
  })
  if (heard(trial) < 0)
    return step(
      name,
      false,
      'no heartbeat that could learn of the cancellation',
      'Continue heartbeats until the result is accepted.',
    )
  await until(() => trial.calls().some(isResult), cancelMs)
  await sleep(quietMs)
  const text = trial
    .calls()
    .slice(heard(trial) + 1)
    .some((call) => call.name === 'stream' && isTaken(call))
  if (text)
    return step(
      name,
      false,
      'text arrives after the cancellation',
      'Stop the run when the response to a heartbeat is cancel: true, and send no more text.',
    )
  const ended = trial.calls().some((call) => isResult(call) && isTaken(call))
  return step(
    name,
    ended,
    ended ? 'the runtime stops, and the run ends' : 'the runtime stops, but the run does not end',
    'Deliver a failure when the runtime stops, so that the run ends at once.',
  )
}

async function until(probe: () => boolean, ms: number): Promise<void> {
  for (let left = ms; left > 0 && !probe(); left -= 50) await sleep(50)
}
