import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTokenDesk, type TokenDesk, untilAsked } from './token-users.ts'

/** How often the processes meet at the end of a token; `COPYDESK_RENEWALS=1000` for the long form. */
const rounds = Number(process.env['COPYDESK_RENEWALS'] ?? 10)
const processes = 8
/** Processes that are killed while they renew, in each of two ways. */
const kills = Math.ceil(rounds / 100)
/** Each asks the platform about the token, and then about its site. */
const questions = 2

const all = <T>(value: T, count = processes): T[] => Array.from({ length: count }, () => value)
const atRest = { status: 'connected', refreshing_by: null, refreshing_until: null }

let desk: TokenDesk

beforeAll(async () => {
  desk = await openTokenDesk(processes)
}, 300_000)

beforeEach(async () => {
  desk.provider.pause = undefined
  desk.provider.refreshed.splice(0)
  await desk.connect()
})

afterAll(() => desk[Symbol.asyncDispose]())

describe(`${processes} processes with one token`, () => {
  it(
    `renew it once each of the ${rounds} times that it ends, and all of them work with the new one`,
    async () => {
      const { provider, users, given } = desk
      const before = await desk.farewells()
      for (let round = 1; round <= rounds; round += 1) {
        const old = desk.newest()
        const refreshToken = forget()
        // Its time is over, or the platform refuses it before that, which nobody was told.
        const isOver = round % 2 === 1
        if (isOver) await desk.endToken()
        else provider.issued.push(`access-of-${round}`)
        // The provider answers at once, or when all of them have begun.
        if (round % 4 > 1) provider.pause = Promise.withResolvers()
        const begun = await Promise.all(users.map((user) => user.begin()))
        provider.pause?.resolve()
        provider.pause = undefined
        const words = await Promise.all(begun.map(({ ended }) => ended))

        const fresh = desk.newest()
        expect({
          round,
          words,
          asked: renewals(),
          withNew: given.filter((token) => token === fresh).length,
          others: [...new Set(given.filter((token) => token !== fresh))],
          row: await desk.row(),
        }).toEqual({
          round,
          words: all(undefined),
          asked: [refreshToken],
          withNew: processes * questions,
          others: isOver ? [] : [old],
          row: atRest,
        })
      }
      expect(provider.refreshed).toHaveLength(rounds)
      expect(new Set(provider.refreshed).size).toBe(rounds)
      expect(await desk.farewells()).toEqual(before)
    },
    120_000 + rounds * 5_000,
  )

  it(
    'renew it once the lease of one that was killed is over, where the provider had not heard of it',
    async () => {
      const before = await desk.farewells()
      for (let kill = 1; kill <= kills; kill += 1) {
        const { words, refreshToken, took, leaseEnd } = await killOneThatRenews(async () => {
          // What waits for the old promise is never done.
          desk.provider.pause = undefined
        })
        expect(words).toEqual(all(undefined, processes - 1))
        expect(renewals()).toEqual([refreshToken, refreshToken])
        expect(took).toBeGreaterThanOrEqual(leaseEnd)
        expect(desk.given).toEqual(all(desk.newest(), (processes - 1) * questions))
        expect(desk.provider.refreshed).toHaveLength(kill)
        expect(await desk.row()).toEqual(atRest)
      }
      expect(await desk.farewells()).toEqual(before)
    },
    120_000 + kills * 60_000,
  )

  it(
    'disconnect the channel once, where the new token was lost with the one that was killed, and work once it is connected again',
    async () => {
      const { provider } = desk
      const { audits, notices } = await desk.farewells()
      for (let kill = 1; kill <= kills; kill += 1) {
        const { words, refreshToken, took, leaseEnd } = await killOneThatRenews(async () => {
          const { pause } = provider
          provider.pause = undefined
          pause?.resolve()
          await expect.poll(() => provider.refreshed.length).toBe(kill)
        })
        const refused = words.filter((text) => text?.includes('invalid_grant'))
        const late = words.filter((text) => text?.includes('The channel is not connected'))
        expect([refused.length, late.length]).toEqual([1, processes - 2])
        expect(renewals()).toEqual([refreshToken, refreshToken])
        expect(took).toBeGreaterThanOrEqual(leaseEnd)
        expect(desk.given).toEqual([])
        expect(await desk.row()).toEqual({ ...atRest, status: 'expired' })
        expect(await desk.farewells()).toEqual({ audits: audits + kill, notices: notices + kill })

        await desk.connect()
        const again = await Promise.all(desk.users.map((user) => user.begin()))
        expect(await Promise.all(again.map(({ ended }) => ended))).toEqual(all(undefined))
        expect(desk.given).toEqual(all(desk.newest(), processes * questions))
      }
    },
    120_000 + kills * 60_000,
  )

  it('would send a refresh token twice if its lease did not hold', async () => {
    const { provider, users } = desk
    const refreshToken = forget()
    await desk.endToken()
    provider.pause = Promise.withResolvers()
    const begun = await Promise.all(users.map((user) => user.begin()))
    await untilAsked(desk, 1)
    await desk.endLease(new Date(Date.now() - 1_000))
    await untilAsked(desk, 2)
    provider.pause.resolve()
    await Promise.all(begun.map(({ ended }) => ended))
    expect(renewals()).toEqual([refreshToken, refreshToken])
    expect(provider.refreshed).toEqual([refreshToken])
  })
})

const renewals = () => desk.asked.map(({ refreshToken }) => refreshToken)

/** Forgets what was asked before. @returns the refresh token that is good now */
function forget(): string | undefined {
  const { asked, given, provider } = desk
  asked.splice(0)
  given.splice(0)
  return provider.issued.findLast((token) => token.startsWith('refresh-'))
}

/**
 * Kills the process that renews while the others wait for it, and starts another in its place when they have ended.
 * @param settle says what the provider does about the request of the one that died
 * @returns what became of the others, when one of them asked the provider, and when the lease of the dead one ended
 */
async function killOneThatRenews(settle: () => Promise<void>) {
  const [holder, ...others] = desk.users
  if (!holder) throw new Error('there is nobody')
  const refreshToken = forget()
  await desk.endToken()
  desk.provider.pause = Promise.withResolvers()
  await holder.begin()
  await untilAsked(desk, 1)
  const begun = await Promise.all(others.map((user) => user.begin()))
  await holder.kill()
  await settle()
  expect(await desk.row()).toMatchObject({ status: 'connected', refreshing_by: expect.any(String) })
  // A minute is as good as a second for those who wait.
  const leaseEnd = Date.now() + 1_000
  await desk.endLease(new Date(leaseEnd))
  const words = await Promise.all(begun.map(({ ended }) => ended))
  desk.users.splice(0, 1, await desk.startUser())
  return { words, refreshToken, took: desk.asked[1]?.at ?? 0, leaseEnd }
}
