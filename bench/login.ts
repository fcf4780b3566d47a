import { createCopydesk } from '@copydesk/core'
import { createPasswords } from '../packages/core/src/platform/crypto/password.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { installationIn } from './installation.ts'
import { type Bench, expectEqual, interleave, less, median, more, percentile } from './measure.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'

/** Logins to one account from new addresses are limited: each login is that of the next of these people. */
const people = Array.from({ length: 40 }, (_, n) => `rita.${n}@bench.example`)
const password = 'Correct-horse-1'
/** As many at once as are neither refused nor wait for longer than half a second. */
const storm = { logins: 300, atOnce: 50 }
const tries = 200
const peer = 'bare h3, one argon2id comparison'

/** Many logins at once: how many get through, what they hold, and how long everybody else waits. And whether time tells who exists. */
export const login: Bench = {
  name: 'login',
  async run() {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const copydesk = await createCopydesk({ ...installation, log: silentLogger, worker: false })
    await copydesk.migrations.up()
    await copydesk.setUp()
    for (const email of people)
      await copydesk.asSystem().users.create({ email, name: 'Rita', password, role: 'super_admin' })
    await copydesk.stop()
    const hash = await createPasswords().hashPassword(password)
    const ours = () => startSubject('servers/copydesk.ts', installation, folder.path)
    const theirs = () => startSubject('peers/h3-login.ts', { hash }, folder.path)
    const stormed = await interleave(3, {
      ours: async () => besiege(await ours(), '/auth/v1/login'),
      theirs: async () => besiege(await theirs(), '/login'),
    })
    const { unknown, wrong, z } = await compareRefusals(await ours())
    const { ours: us, theirs: them } = stormed
    return {
      'login.storm': more(us.rate, 'logins/s', peer, them.rate),
      'login.storm.memory': less(us.mebibytes, 'MiB more at the peak', peer, them.mebibytes),
      'login.storm.health.p99': less(us.p99, 'ms for another request meanwhile', peer, them.p99),
      'login.storm.stall': less(us.stall, 'ms the loop stood still at most', peer, them.stall),
      'login.refusal': less(unknown, 'ms, unknown e-mail', 'the same, wrong password', wrong),
      'login.refusal.z': { value: Math.abs(z), unit: 'rank-sum z', aim: 'under 3: not to be told apart' },
    }
  },
}

let logins = 0
const nextPerson = () => people[(logins += 1) % people.length] as string

let callers = 0
/** Limits count by address: each login comes from another one. */
const address = () => {
  callers += 1
  return `10.${(callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}`
}

function tryLogin(url: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address() }
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function besiege(subject: Subject, path: string) {
  await using server = subject
  const logIn = async () => {
    const response = await tryLogin(server.url, path, { email: nextPerson(), password, app: 'manage' })
    await response.arrayBuffer()
    expectEqual('status of a login', response.status, 200)
  }
  await Promise.all(Array.from({ length: 20 }, logIn))
  const before = await server.ask<number>('memory')
  await server.ask('watch')
  const begun = performance.now()
  let left = storm.logins
  const waits: number[] = []
  let storming = true
  const others = (async () => {
    while (storming) {
      const from = performance.now()
      const response = await fetch(`${server.url}/health`, { headers: { 'x-forwarded-for': address() } })
      await response.arrayBuffer()
      waits.push(performance.now() - from)
    }
  })()
  const one = async () => {
    while (left > 0) {
      left -= 1
      await logIn()
    }
  }
  await Promise.all(Array.from({ length: storm.atOnce }, one))
  const seconds = (performance.now() - begun) / 1_000
  storming = false
  await others
  const { stall, peak } = await server.ask<{ stall: number; peak: number }>('watched')
  return {
    rate: storm.logins / seconds,
    mebibytes: Math.max(0.1, (peak - before) / 2 ** 20),
    p99: percentile(waits, 0.99),
    stall,
  }
}

/** Time of an unknown e-mail against that of a wrong password, turn by turn: medians, and the z of Wilcoxon's rank sum. */
async function compareRefusals(subject: Subject) {
  await using server = subject
  const time = async (who: string) => {
    const from = performance.now()
    const response = await tryLogin(server.url, '/auth/v1/login', {
      email: who,
      password: 'Wrong-horse-1',
      app: 'manage',
    })
    await response.arrayBuffer()
    expectEqual('status of a refusal', response.status, 401)
    return performance.now() - from
  }
  const unknown: number[] = []
  const wrong: number[] = []
  for (let i = 0; i < 20; i += 1) await time(i % 2 === 0 ? nextPerson() : `no one${i}@bench.example`)
  for (let i = 0; i < tries; i += 1) {
    // Now the one first, now the other, so that neither always comes after the same thing.
    const pair = [
      async () => void unknown.push(await time(`nobody.${i}@bench.example`)),
      async () => void wrong.push(await time(nextPerson())),
    ]
    for (const go of i % 2 === 0 ? pair : pair.toReversed()) await go()
  }
  return { unknown: median(unknown), wrong: median(wrong), z: rankSum(unknown, wrong) }
}

function rankSum(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, a: true })), ...b.map((value) => ({ value, a: false }))]
  const ranks = all.toSorted((x, y) => x.value - y.value)
  const sum = ranks.reduce((total, { a: mine }, index) => total + (mine ? index + 1 : 0), 0)
  const n = a.length
  const m = b.length
  return (sum - (n * (n + m + 1)) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12)
}
