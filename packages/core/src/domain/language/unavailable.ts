import { plain, requestOf } from '@copydesk/language'
import { isUlid } from '../../platform/clock.ts'
import { act } from './acts.ts'
import { optionsFor } from './choices.ts'
import { clarificationAnswer, type Interpretation } from './interpretation.ts'
import { findPieces } from './piece-queries.ts'
import type { LanguageRequest, QueryContext } from './query-context.ts'
import { lastOwnVerdict } from './read-verdicts.ts'

/** What takes back what a command did; all others have gone out to others. */
const opposites: Readonly<Record<string, 'pause' | 'resume' | 'claim' | 'release'>> = {
  pause: 'resume',
  resume: 'pause',
  claim: 'release',
  release: 'claim',
}
const verdicts: ReadonlySet<string> = new Set(['approve', 'reject', 'revise', 'bulk'])
const acting =
  /^\/(approve|reject|revise|bulk|escalate|forward|claim|release|pause|resume|retry|cancel|run|comment|snooze|dismiss)\b/

const possible = 'Pausing and resuming, claiming and releasing can be taken back.'

/**
 * Takes back what was done last, where that is possible: the opposite command, or why there is none.
 * @param history what the same person said and did before, oldest first
 */
export async function undo(
  scene: QueryContext,
  request: LanguageRequest,
  history: readonly string[],
): Promise<Interpretation> {
  const { text } = request.said
  const line = plain(history.findLast((one) => acting.test(one)) ?? '')
  const name = acting.exec(line)?.[1] ?? ''
  const isOfVerdict = /\b(?:approv\w*|accept\w*|reject\w*|verdicts?|decisions?|revis\w*|sign)\b/.test(text)
  if (isOfVerdict || verdicts.has(name)) return ofVerdict(scene, text)
  if (request.slots.title.length > 0)
    return clarificationAnswer(`It is not clear what is to be taken back. ${possible}`, [], { unsure: true })
  const opposite = opposites[name]
  if (name === '') return clarificationAnswer(`There is nothing here that can be taken back. ${possible}`)
  if (!opposite)
    return clarificationAnswer(
      `${line.split(' ')[0]} cannot be taken back: others have gone on with it. ${possible}`,
    )
  const ids = (line.match(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g) ?? []).filter(isUlid)
  const role = /^\/\w+ ([a-z][a-z0-9_]*)\b/.exec(line)?.[1]
  const tenant = scene.counts.find(({ tenantId }) => ids.includes(tenantId))
  const named = tenant && { id: tenant.tenantId, name: tenant.tenantName }
  const isRole = role !== undefined && scene.known.roles.includes(role)
  const said = isRole ? { roles: [role], tenant: named } : { ids }
  return act(scene, requestOf({ ...said, acts: [opposite] }), opposite)
}

async function ofVerdict(scene: QueryContext, text: string): Promise<Interpretation> {
  const kind = /\b(?:approv|accept|sign)/.test(text) ? 'approved' : /\breject/.test(text) ? 'rejected' : null
  const last = await lastOwnVerdict(scene, kind)
  const [piece] = last ? await findPieces(scene.ctx, [last.approval.activityId ?? last.approval.id]) : []
  const verbs =
    piece?.kind === 'activity' && piece.status === 'in_progress' ? ['show', 'pause', 'cancel'] : ['show']
  return clarificationAnswer(
    `A verdict cannot be taken back: the agents go on with it at once.${last ? ` Your last one: ${last.sentence}.` : ''}`,
    piece ? verbs.flatMap((verb) => optionsFor([piece], { verb })) : [],
    { ids: piece ? [piece.id] : [] },
  )
}

/** How a campaign is started: by a command of the tenant's admins and of operators, not by staff. */
export function startCampaign(): Interpretation {
  return clarificationAnswer(
    'A campaign is started with its brief in a file: `copydesk campaign create --brief brief.md --deliverable blog_post=2`, by an admin of the tenant with a login of their own, or with --tenant on the machine of the server. Then its work is planned at once.',
    ['cost by campaign', 'status'],
  )
}
