import { installationIn, lookInto, reviewerTokens, seed } from './installation.ts'
import { type Bench, expectEqual, percentile } from './measure.ts'
import { startSubject, temporaryFolder } from './processes.ts'

const count = 200
const reviewers = 50

/**
 * 50 reviewers decide at once, two on each approval, while the agents write again what was sent back. Of two verdicts one
 * counts, and the other person is told so.
 */
export const deciding: Bench = {
  name: 'deciding',
  async run() {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const { reviewerIds, approvalIds } = await seed(installation, { approvals: count, reviewers })
    await using server = await startSubject(
      'servers/copydesk.ts',
      { ...installation, working: true },
      folder.path,
    )
    const waits: number[] = []
    const answers = new Map<number, number>()
    // The second round begins in the middle: both meet on what is undecided still, and on what is being decided.
    const queue = [...approvalIds, ...approvalIds.slice(count / 2), ...approvalIds.slice(0, count / 2)]
    const decide = async (token: string) => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        const back = approvalIds.indexOf(id) % 4 === 0
        const begun = performance.now()
        const response = await fetch(`${server.url}/dm/v1/approvals/${id}/resolve`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(
            back ? { resolution: 'revision_requested', note: 'Shorter' } : { resolution: 'approved' },
          ),
        })
        const text = await response.text()
        waits.push(performance.now() - begun)
        if (response.status !== 200 && response.status !== 409)
          throw new Error(`A verdict was answered ${response.status}: ${text}`)
        answers.set(response.status, (answers.get(response.status) ?? 0) + 1)
      }
    }
    const begun = performance.now()
    await Promise.all((await reviewerTokens(reviewerIds)).map(decide))
    const seconds = (performance.now() - begun) / 1_000
    expectEqual('verdicts', answers.get(200) ?? 0, count)
    expectEqual('conflicts', answers.get(409) ?? 0, count)
    const db = await lookInto(installation)
    const kept = await db.sql.get(
      `select count(*) as n from audit_records where action = 'approval.resolve' and status = 200`,
    )
    await db.close()
    expectEqual('audit records of verdicts', Number(kept?.['n']), count)
    return {
      deciding: { value: count / seconds, unit: 'verdicts/s by 50 reviewers while agents work' },
      'deciding.conflicts': { value: (answers.get(409) ?? 0) / seconds, unit: 'conflicts told/s' },
      'deciding.p50': { value: percentile(waits, 0.5), unit: 'ms' },
      'deciding.p99': { value: percentile(waits, 0.99), unit: 'ms' },
    }
  },
}
