import type { ActivityRow } from '../activities/entities.ts'
import { voidOutdated } from '../approvals/outdated.ts'
import type { CheckedText } from '../brand/check-text.ts'
import type { Command } from '../context.ts'
import { Output, type OutputFormat, type OutputRow } from './entities.ts'

export interface NewVersion {
  content: CheckedText
  format?: OutputFormat
  runId?: string | null
  author: { id: string; name: string; type: 'agent' | 'human' }
}

/** The newest version of an activity's text. */
export async function latestOutput(cmd: Command, activityId: string): Promise<OutputRow | null> {
  return cmd.em.findOne(Output, { activityId }, { orderBy: { version: 'desc' } })
}

/**
 * Keeps a text as the next version of an activity's output, and voids what people were asked about older ones. The same
 * bytes again are no new version. The caller holds the activity's lock.
 * @returns the version that now is the newest, and whether it was made here
 */
export async function addVersion(
  cmd: Command,
  activity: ActivityRow,
  { content, format = 'markdown', runId = null, author }: NewVersion,
): Promise<{ output: OutputRow; added: boolean }> {
  const latest = await latestOutput(cmd, activity.id)
  const { text, sha256, checks } = content
  if (latest?.sha256 === sha256) return { output: latest, added: false }
  const output = cmd.em.create(Output, {
    id: cmd.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    runId,
    version: (latest?.version ?? 0) + 1,
    text,
    format,
    sha256,
    checks,
    authorId: author.id,
    authorName: author.name,
    authorType: author.type,
    createdOn: cmd.clock.date(),
  })
  await voidOutdated(cmd, activity, output)
  return { output, added: true }
}
