import { installationIn, reviewerTokens, seed } from './installation.ts'
import { load, oneByOne } from './load.ts'
import { type Bench, interleave, less, type Metrics, more } from './measure.ts'
import { startSubject, temporaryFolder } from './processes.ts'

const rows = 25
const peer = 'bare h3 with the same handler'

/** What the gateway adds to a handler: all of it against none of it, and each stage on its own. */
export const gatewayCost: Bench = {
  name: 'gateway.cost',
  async run() {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const { reviewerIds, tenantId } = await seed(installation, { approvals: rows, reviewers: 150 })
    const calls = (await reviewerTokens(reviewerIds)).map((token) => ({
      path: `/dm/v1/approvals?limit=${rows}`,
      headers: { authorization: `Bearer ${token}` },
    }))
    const bare = { ...installation, reviewerId: reviewerIds[0], tenantId, rows }
    const { ours, theirs } = await interleave(3, {
      ours: async () => load(await startSubject('servers/copydesk.ts', installation, folder.path), calls),
      theirs: async () =>
        load(await startSubject('peers/h3-approvals.ts', bare, folder.path), [{ path: '/approvals' }]),
    })
    await using measured = await startSubject('servers/stages.ts', installation, folder.path)
    // One at a time: else the wait of one request is counted in the stage of another.
    await oneByOne(measured.url, calls, 2_000)
    await measured.ask('stages')
    await oneByOne(measured.url, calls, 4_000)
    const stages = await measured.ask<Record<string, number>>('stages')
    const each: Metrics = Object.fromEntries(
      Object.entries(stages).map(([name, value]) => [
        `gateway.stage.${name.replaceAll(' ', '-')}`,
        { value, unit: 'µs' },
      ]),
    )
    return {
      'gateway.cost': more(ours.rate, 'requests/s', peer, theirs.rate, 'ratio 0.6'),
      'gateway.cost.cpu': less(ours.cpu, 'µs/request', peer, theirs.cpu),
      ...each,
    }
  },
}
