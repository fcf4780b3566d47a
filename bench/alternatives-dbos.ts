import { createCopydesk } from '@copydesk/core'
import { findPostgres } from '../config/postgres.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { installAlternative, NotInstalled } from './alternatives-install.ts'
import { installationIn, lookInto, memberTokens, reviewerTokens, seed, waitFor } from './installation.ts'
import { handleAll, sendJson } from './load.ts'
import { expectEqual, interleave, type Metrics, more } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { startSubject, temporaryFolder } from './processes.ts'

const version = '5.3.0'
const pieces = 200
const warmUp = 20
const reviewers = 8
const peer = `DBOS ${version}, two empty steps and a message, called in process`

/** Pieces of work on PostgreSQL from their start to their end, each with one decision of a person: eight decide at once. */
export async function compareDbos(): Promise<Metrics> {
  const app = installAlternative({ name: 'dbos', dependencies: { '@dbos-inc/dbos-sdk': version } })
  const postgres = await findPostgres()
  if (postgres.url === undefined) throw new NotInstalled(`there is no PostgreSQL: ${postgres.reason}`)
  const { url } = postgres
  try {
    const { ours, theirs } = await interleave(3, {
      ours: () => inDatabase(url, ofCopydesk),
      theirs: () =>
        inDatabase(url, async (database) => {
          using folder = temporaryFolder()
          await using subject = await startSubject('peers/dbos-approvals.ts', { app, database }, folder.path)
          await subject.ask(`measure.${warmUp}`)
          const { approved, seconds } = await subject.ask<{ approved: number; seconds: number }>(
            `measure.${pieces}`,
          )
          expectEqual('workflows that were approved', approved, pieces)
          return { rate: pieces / seconds }
        }),
    })
    return { 'alternatives.dbos.piece': more(ours.rate, 'pieces/s', peer, theirs.rate) }
  } finally {
    await postgres.stop()
  }
}

async function ofCopydesk(database: string): Promise<{ rate: number }> {
  using folder = temporaryFolder()
  const installation = installationIn(folder.path, database)
  const { tenantId, adminId, reviewerIds } = await seed(installation, { approvals: 0, reviewers })
  const copydesk = await createCopydesk({ ...installation, log: silentLogger, worker: false })
  await copydesk.asSystem({ tenantId }).agents.configure('social_writer', { concurrency: 10 })
  await copydesk.stop()
  const [admin] = (await memberTokens(tenantId, [adminId], 'admin')) as [string]
  const tokens = await reviewerTokens(reviewerIds)
  await using server = await startSubject(
    'servers/copydesk.ts',
    { ...installation, working: true },
    folder.path,
  )
  const db = await lookInto(installation)
  try {
    let before = 0
    const done = async () =>
      Number((await db.sql.get(`select count(*) as n from activities where status = 'done'`))?.['n'])
    const measure = async (count: number) => {
      const begun = performance.now()
      for (let rest = count; rest > 0; rest -= 50)
        await sendJson('POST', `${server.url}/dashboard/v1/campaigns`, admin, {
          name: 'Spring',
          brief: '# Spring\n\nHearth & Oat is a bakery.\n\n## Products\n\n- **Rye Loaf**: baked overnight\n',
          deliverables: [{ type: 'social_post', quantity: Math.min(rest, 50) }],
        })
      for (let decided = 0; decided < count; ) {
        const pending = await db.sql.all<{ id: string }>(`select id from approvals where status = 'pending'`)
        if (pending.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
        await handleAll(tokens, pending, (token, { id }) =>
          sendJson('POST', `${server.url}/dm/v1/approvals/${id}/resolve`, token, { resolution: 'approved' }),
        )
        decided += pending.length
      }
      before += count
      await waitFor(async () => (await done()) >= before, 'all pieces are done')
      expectEqual('pieces that are done', await done(), before)
      return (count * 1_000) / (performance.now() - begun)
    }
    await measure(warmUp)
    return { rate: await measure(pieces) }
  } finally {
    await db.close()
  }
}
