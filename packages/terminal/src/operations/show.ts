import { ApiError, type Reply } from '@copydesk/client'
import type { TextDiff } from '../render/diff.ts'
import { type OperationContext, operation } from './operation.ts'
import { pieceRows } from './show-rows.ts'

export type Question = Reply<'cli', 'GET /approvals/:id'>
export type Activity = Reply<'cli', 'GET /activities/:id'>
export type Brief = Reply<'cli', 'GET /activities/:id/brief'>
type Text = Reply<'cli', 'GET /activities/:id/versions/:version'>

/** An activity with everything that a verdict needs. */
export interface Piece {
  /** The pending or resolved approval, when the id named one. */
  approval: Question | null
  activity: Activity | null
  /** What it was made from. */
  brief: Brief | null
  /** Its latest text; null when there is none. */
  text: Text | null
  /** The changes since the previous version; null for the first. */
  diff: TextDiff | null
}

export const show = operation({
  name: 'show',
  summary:
    'show an approval or activity: brief, sources, checks, text, changes, what became of it, comments, runs and cost',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: {
    ids: { kind: 'arguments', summary: 'ids of approvals or activities', completes: 'work' },
  },
  examples: ['show 01J9ZX6T4QH8C3V5N7M2K0B1AD', 'show 01J9ZX6T4QH8C3V5N7M2K0B1AD --json'],
  run: async (context, { ids }) => {
    const pieces: Piece[] = []
    for (const id of ids) pieces.push(await pieceOf(context, id))
    return pieces
  },
  print: (pieces, renderOptions) => pieces.flatMap((piece) => pieceRows(piece, renderOptions)),
})

/**
 * The activity of an id, which is an approval's or an activity's.
 * @throws ApiError `NOT_FOUND` when it is neither
 */
export async function pieceOf({ client }: OperationContext, id: string): Promise<Piece> {
  const approval = await orNull(client.call('cli', 'GET /approvals/:id', { params: { id } }))
  const activityId = approval ? approval.linkedActivities[0]?.id : id
  if (activityId === undefined) return { approval, activity: null, brief: null, text: null, diff: null }
  const params = { id: activityId }
  const [activity, brief, versions] = await Promise.all([
    client.call('cli', 'GET /activities/:id', { params }).then((found) => withEarlierComments(client, found)),
    client.call('cli', 'GET /activities/:id/brief', { params }),
    client.call('cli', 'GET /activities/:id/versions', { params, query: { limit: 1 } }),
  ]).catch((error: unknown) => {
    throw approval === null && isMissing(error) ? neither() : error
  })
  const newest = versions.data[0]?.version
  if (newest === undefined) return { approval, activity, brief, text: null, diff: null }
  const [text, diff] = await Promise.all([
    client.call('cli', 'GET /activities/:id/versions/:version', {
      params: { ...params, version: String(newest) },
    }),
    newest > 1
      ? client.call('cli', 'GET /activities/:id/diff', { params, query: { from: newest - 1, to: newest } })
      : null,
  ])
  return { approval, activity, brief, text, diff }
}

/** Maximum number of pages of earlier comments that are read. */
const mostPages = 9

/** An activity with the comments that its detail omits, page by page, up to the maximum. */
export async function withEarlierComments(
  client: OperationContext['client'],
  activity: Activity,
): Promise<Activity> {
  let { comments } = activity
  for (let n = 0; n < mostPages && comments.length < activity.commentsTotal; n += 1) {
    const cursor = comments[0]?.id
    const { data } = await client.call('cli', 'GET /activities/:id/comments', {
      params: { id: activity.id },
      query: { order: 'desc', ...(cursor && { cursor }) },
    })
    if (data.length === 0) break
    comments = [...data.toReversed(), ...comments]
  }
  return { ...activity, comments }
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404

/** Both were looked up; this message replaces the two of the server. */
function neither(): ApiError {
  const message = 'There is no approval and no activity with this id'
  return new ApiError(404, { error: { code: 'NOT_FOUND', message } })
}
