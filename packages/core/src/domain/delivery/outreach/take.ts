import { z } from 'zod'
import { preview } from '../../../kernel/text.ts'
import { logActivity } from '../../work/activities/state.ts'
import { isApproved } from '../../work/approvals/pending.ts'
import type { TenantPublishing } from '../../work/content/publishing-port.ts'
import { mailSections } from '../mailing/sections.ts'
import { OutreachMail } from './entities.ts'
import { type Letter, layUpMail } from './queries.ts'

/** The most mails of one text. */
const mostMails = 50
/** How much of a subject is shown where a mail cannot be sent, characters. */
const shownChars = 60
const address = z.email().max(254)

/**
 * Lays up the outreach mails of a text that a person has approved, in the transaction of the verdict; a person sends them afterwards. A newer
 * text takes the place of one that was not sent. Everything that is no outreach of a campaign is left alone.
 */
export const takeOutreach: TenantPublishing['takePiece'] = async (txn, activity, output) => {
  const { deliverableType, isFinalStep, campaignId } = activity
  if (deliverableType !== 'backlink' || !isFinalStep || campaignId === null) return
  if (!(await isApproved(txn, activity, output))) return
  await txn.em.nativeDelete(OutreachMail, {
    activityId: activity.id,
    status: { $in: ['approved', 'stopped'] },
    attempts: 0,
  })
  const { letters, faults } = lettersIn(output.text)
  const fresh: Letter[] = []
  const of = {
    tenantId: activity.tenantId,
    campaignId,
    activityId: activity.id,
    contentHash: output.sha256,
  }
  for (const letter of letters) if (await layUpMail(txn, of, letter)) fresh.push(letter)
  const known = letters.length - fresh.length
  if (known > 0) faults.push(`${known} to an address that this campaign has written to already`)
  const left = faults.length === 0 ? '' : `; not taken: ${faults.join(', ')}`
  logActivity(txn, activity, {
    kind: 'publishing',
    message: `${fresh.length === 1 ? '1 outreach mail' : `${fresh.length} outreach mails`} can be sent${left}`,
  })
  if (fresh.length === 0) return
  txn.audit({
    tenantId: activity.tenantId,
    resourceType: 'campaign',
    resourceId: campaignId,
    action: 'campaign.outreach_approved',
    after: {
      activityId: activity.id,
      contentHash: output.sha256,
      to: fresh.map(({ recipient }) => recipient),
    },
  })
}

/** The mails of a text that can be sent, each address once, and in words what stands in the way of the others. */
function lettersIn(text: string): { letters: Letter[]; faults: string[] } {
  const letters = new Map<string, Letter>()
  const faults: string[] = []
  for (const { to, subject, body, isTooLong } of mailSections(text)) {
    const recipient = /<([^<>]*)>\s*$/.exec(to)?.[1] ?? to
    const key = recipient.toLowerCase()
    const fault = isTooLong ? 'it is too long' : faultOf(recipient, subject + body)
    const leave = (why: string) => void faults.push(`“${preview(subject, shownChars)}” (${why})`)
    if (fault !== undefined) leave(fault)
    else if (letters.has(key)) leave('a second one to the same address')
    else if (letters.size === mostMails) leave(`a text has at most ${mostMails} mails`)
    else letters.set(key, { recipient, subject, body })
  }
  // In one order for all, so that two verdicts at the same moment never wait for each other.
  const ordered = [...letters].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, letter]) => letter)
  return { letters: ordered, faults: faults.slice(0, 10) }
}

function faultOf(recipient: string, text: string): string | undefined {
  if (recipient === '') return 'no line “To:” names its recipient'
  if (!address.safeParse(recipient).success) return 'its line “To:” is no e-mail address'
  // What no one has filled in must not reach a stranger.
  return /\{\{[^{}]*\}\}|\[[^[\]\n]*\](?!\()/.test(text) ? 'a place in it is not filled in' : undefined
}
