import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '@copydesk/core'
import type { Call, Desk, Taken, Trial } from './desk.ts'

/** How long the runtime is watched after a result: it must be quiet. */
const quietMs = 3_000
/** The shortest time that an agent can have. */
const shortestMs = 10_000
/** How long a runtime may take to hear of a cancellation, and to end. */
const cancelMs = 25_000
const answerMs = 15_000

const isResult = ({ name }: Call) => name === 'result'
const isTaken = ({ status }: Call) => status < 300

/**
 * Tries a runtime out, step by step. What cannot be tried after a fault is left out.
 * @param waitMs how long a piece of work may take
 */
export async function tryOut(desk: Desk, waitMs: number): Promise<Finding[]> {
  const steps = [...(await guarded(desk))]
  const trial = await desk.give(3_600_000)
  steps.push(answered(trial.taken))
  if (!steps.at(-1)?.ok) return steps
  const repeated = await trial.again()
  await until(() => trial.calls().some((call) => isResult(call) && isTaken(call)), waitMs)
  const delivered = result(trial, desk, waitMs)
  steps.push(delivered)
  if (!delivered.ok) return steps
  await sleep(quietMs)
  steps.push(inOrder(trial), once(trial, repeated), quiet(trial), ...limited(trial))
  const alive = await beats(desk, waitMs)
  steps.push(alive)
  if (alive.ok) steps.push(await cancelled(desk))
  return steps
}

function step(name: string, ok: boolean, message: string, remedy: string): Finding {
  return { name, ok, message, ...(!ok && { remedy }) }
}

async function guarded({ secret, post, calls }: Desk): Promise<Finding[]> {
  if (!secret) return [{ name: 'secret', ok: true, message: 'not tried: --secret-env names none' }]
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
  return [step('secret', ok, `a wrong secret is answered ${answers[0]}, none ${answers[1]}`, remedy)]
}

function answered({ status, fault, ms }: Taken): Finding {
  const name = 'answer'
  if (status === undefined) {
    return step(
      name,
      false,
      `work is not answered: ${fault}`,
      'See that the runtime listens at --url, and that it answers before it works.',
    )
  }
  if (ms > answerMs)
    return step(
      name,
      false,
      `work is answered after ${ms} ms`,
      'Answer 202 within 15 seconds, and work afterwards.',
    )
  const hint =
    status === 401 || status === 403
      ? 'Give both sides the same secret: --secret-env and --header.'
      : 'Answer 202.'
  return step(name, status < 300, `work is answered ${status} after ${ms} ms`, hint)
}

function result(trial: Trial, desk: Desk, waitMs: number): Finding {
  const name = 'result'
  const tried = trial.calls().filter(isResult)
  const taken = tried.find(isTaken)
  // That it is there already says the repetition.
  const refused = tried.find((call) => !isTaken(call) && call.status !== 409 && call.status !== 429)
  if (refused) {
    const why = refused.answer.error?.message ?? ''
    const remedy = 'Send the body as docs/agents/protocol.md has it under “The result”.'
    return step(name, false, `a result is refused with ${refused.status}: ${why}`, remedy)
  }
  if (taken) return step(name, true, `delivered: ${String(taken.body['status'])}`, '')
  const heard = trial.calls().length
  return step(
    name,
    false,
    `none came within ${waitMs / 1_000} s, and ${heard} other calls`,
    heard > 0
      ? 'Deliver when the work is done, also when it has failed; --wait gives it longer.'
      : `Let the runtime report to ${desk.url}: its base URL, or the callbackUrl of the dispatch.`,
  )
}

function inOrder(trial: Trial): Finding {
  const name = 'text'
  const calls = trial.calls()
  const end = calls.findIndex((call) => isResult(call) && isTaken(call))
  const pieces = calls.slice(0, end).filter((call) => call.name === 'stream')
  const refused = pieces.find(({ status }) => status !== 200 && status !== 429)
  if (refused) {
    const why = `${refused.status}: ${refused.answer.error?.message ?? ''}`
    return step(
      name,
      false,
      `a piece is refused with ${why}`,
      'Send { delta, sequenceNum } while the run is at work.',
    )
  }
  const numbers = pieces.filter(isTaken).map(({ body }) => Number(body['sequenceNum']))
  if (numbers.length === 0) return step(name, true, 'none is shown while it is written, which is allowed', '')
  const gap = numbers.findIndex(
    (number, i) => i > 0 && number !== Number(numbers[i - 1]) + 1 && number !== numbers[i - 1],
  )
  const remedy =
    'Send one piece after the other, numbered from 0 without a gap; a piece that is tried again keeps its number.'
  const message =
    gap < 0 ? `${numbers.length} pieces in order` : `after number ${numbers[gap - 1]} comes ${numbers[gap]}`
  return step(name, gap < 0, message, remedy)
}

function once(trial: Trial, repeated: Taken): Finding {
  const results = trial.calls().filter((call) => isResult(call) && call.status !== 429)
  const remedy =
    'Remember the runs that are at work and those that are done: answer 202 to what came before, and do nothing.'
  if (repeated.status === undefined || repeated.status >= 300)
    return step(
      'repetition',
      false,
      `the same work once more is answered ${repeated.status ?? repeated.fault}`,
      remedy,
    )
  const message = `the same work given twice is delivered ${results.length === 1 ? 'once' : `${results.length} times`}`
  return step('repetition', results.length === 1, message, remedy)
}

function quiet(trial: Trial): Finding {
  const calls = trial.calls()
  const end = calls.findIndex((call) => isResult(call) && isTaken(call))
  const late = calls.slice(end + 1).filter((call) => !isResult(call))
  const message =
    late.length === 0 ? 'nothing is sent after the result' : `after the result comes ${late[0]?.name}`
  return step(
    'end',
    late.length === 0,
    message,
    'Wait for what is on its way before you deliver, and stop the heartbeat with the result.',
  )
}

function limited(trial: Trial): Finding[] {
  const refused = trial.calls().filter(({ status }) => status === 429).length
  if (refused === 0) return []
  const remedy = 'Collect text for some seconds: a run has 60 requests a minute for everything together.'
  return [step('limit', false, `${refused} requests are refused with 429`, remedy)]
}

/** Lets requests wait as long as the run has time: only a heartbeat keeps it. */
async function held<T>(desk: Desk, work: () => Promise<T>): Promise<T> {
  const release = Promise.withResolvers<void>()
  desk.hold = release.promise
  try {
    return await work()
  } finally {
    desk.hold = undefined
    release.resolve()
  }
}

async function beats(desk: Desk, waitMs: number): Promise<Finding> {
  const hasBeaten = (trial: Trial) => trial.calls().some((call) => call.name === 'heartbeat' && isTaken(call))
  const trial = await held(desk, async () => {
    const trial = await desk.give(shortestMs)
    await until(() => hasBeaten(trial), shortestMs)
    return trial
  })
  const remedy =
    'Call POST /agent/v1/runs/:runId/heartbeat several times within timeoutMs, beside the work and until the result is there.'
  if (!hasBeaten(trial))
    return step('heartbeat', false, `none comes within the ${shortestMs / 1_000} s of a run`, remedy)
  await until(() => trial.calls().some((call) => isResult(call)), waitMs)
  const last = trial.calls().find(isResult)
  const ok = last !== undefined && isTaken(last)
  const message = ok
    ? 'comes in time, and the run is delivered'
    : `comes, but the result ${last ? `is refused with ${last.status}` : 'does not'}`
  return step('heartbeat', ok, message, 'Go on with the taskToken that the heartbeat answers.')
}

async function cancelled(desk: Desk): Promise<Finding> {
  const name = 'cancel'
  const heard = (trial: Trial) => trial.calls().findIndex((call) => call.answer.cancel === true)
  const trial = await held(desk, async () => {
    const trial = await desk.give(shortestMs)
    await trial.withdraw()
    await until(() => heard(trial) >= 0, cancelMs)
    return trial
  })
  if (heard(trial) < 0)
    return step(
      name,
      false,
      'no heartbeat asks whether the work is still wanted',
      'Let heartbeats go on until the result is there.',
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
      'text comes after it',
      'Stop the work when a heartbeat answers cancel: true, and show no more text.',
    )
  const ended = trial.calls().some((call) => isResult(call) && isTaken(call))
  return step(
    name,
    ended,
    ended ? 'the work stops, and the run ends' : 'the work stops, but the run does not end',
    'Deliver a failure when you stop, so that the run ends at once.',
  )
}

async function until(probe: () => boolean, ms: number): Promise<void> {
  for (let left = ms; left > 0 && !probe(); left -= 50) await sleep(50)
}
