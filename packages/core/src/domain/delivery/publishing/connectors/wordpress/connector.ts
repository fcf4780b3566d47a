import { z } from 'zod'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import { mostReferences } from '../../../../media/references.ts'
import type { Connector, PublishCall, Published } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { postIsGone } from '../requests.ts'
import { accounts, auth } from './auth.ts'
import { withMedia } from './media.ts'
import { rules } from './rules.ts'
import { asHtml, loginOf, requestSite, routeOf } from './site.ts'

const Post = z.object({ id: z.int(), status: z.string(), link: z.string() })
type Post = z.output<typeof Post>

/**
 * WordPress, on WordPress.com or on a server of one's own. A draft comes first, under a slug that only this intent has: one whose
 * answer was lost is found by it, and publishing by id is the same however often it is done.
 */
export const wordpress: Connector = {
  type: 'cms_site',
  rules,
  capabilities: {
    takes: 'article',
    text: [],
    media: {
      min: 0,
      max: mostReferences,
      files: {
        types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
        maxBytes: 25 * 1024 * 1024,
      },
    },
    remove: true,
    limits: [],
  },
  auth,
  accounts,
  lasting: ['postId'],
  async publish(call, piece) {
    // One that is public already is written once more: an earlier attempt may have had another text.
    const known = (await knownPost(call)) ?? (await draftOf(call, piece))
    const content = contentOf(piece, await withMedia(call, piece))
    const draft = known ?? (await createDraft(call, piece, content))
    await call.save({ ...call.progress, postId: String(draft.id) })
    const post = await requestSite(
      call,
      {
        method: 'POST',
        url: routeOf(call, `posts/${draft.id}`),
        json: { ...content, slug: piece.slug, status: 'publish' },
        effect: 'repeatable',
      },
      Post,
    )
    requirePublic(post)
    return toPublished(post)
  },
  async edit(call, piece, { externalId }) {
    const known = await readPost(call, externalId)
    if (!known) throw postIsGone()
    // What a person has hidden there stays hidden: what is sent says nothing of its status, and keeps its address.
    requirePublic(known)
    const json = contentOf(piece, await withMedia(call, piece))
    const url = routeOf(call, `posts/${encodeURIComponent(externalId)}`)
    const post = await requestSite(call, { method: 'POST', url, json, effect: 'repeatable' }, Post)
    requirePublic(post)
    return toPublished(post)
  },
  async reconcile(call, piece) {
    const post = (await knownPost(call)) ?? (await draftOf(call, piece))
    return post?.status === 'publish' ? { state: 'published', ...toPublished(post) } : { state: 'absent' }
  },
  async remove(call, { externalId }) {
    const url = routeOf(call, `posts/${encodeURIComponent(externalId)}`)
    // 410: it is in the bin already. 501: the site has none and could only delete it for good, so that it becomes a draft.
    const { status } = await call.ask({ method: 'DELETE', url, headers: loginOf(call) }, [404, 410, 501])
    if (status !== 501) return
    await requestSite(call, { method: 'POST', url, json: { status: 'draft' }, effect: 'repeatable' }, Post)
  },
}

const toPublished = ({ id, link }: Post): Published => ({
  externalId: String(id),
  url: /^https?:\/\//.test(link) ? link : null,
})

/** @throws PlatformError `policy` for a post that visitors are not shown */
function requirePublic({ status }: Post): void {
  if (status === 'trash')
    throw new PlatformError('policy', 'The post is in the bin of the site: restore it there')
  if (status !== 'publish')
    throw new PlatformError('policy', `The site keeps the post as “${status.slice(0, 40)}”: publish it there`)
}

/** Titles and excerpts are HTML to WordPress, and what stands in brackets is a command to it or to a plugin. */
const contentOf = ({ title, excerpt }: OutgoingPiece, html: string) => ({
  title: asHtml(title),
  content: html.replaceAll('[', '&#91;'),
  excerpt: asHtml(excerpt),
})

/** The post of an earlier attempt; undefined where there was none, or someone has deleted it. */
async function knownPost(call: PublishCall): Promise<Post | undefined> {
  const { postId } = call.progress
  const post = postId === undefined ? undefined : await readPost(call, postId)
  return post?.status === 'trash' ? undefined : post
}

/** @returns undefined for a post that is not there */
async function readPost(call: PublishCall, id: string): Promise<Post | undefined> {
  const url = routeOf(call, `posts/${encodeURIComponent(id)}`, { context: 'edit' })
  const { body, status } = await call.ask({ url, headers: loginOf(call) }, [404])
  const post = Post.safeParse(body)
  if (status !== 404 && !post.success)
    throw new PlatformError('transient', 'Something before the site answers in its place')
  return post.data
}

/** A draft whose answer was lost. WordPress puts a number behind a slug that is taken. */
async function draftOf(call: PublishCall, piece: OutgoingPiece): Promise<Post | undefined> {
  const slug = slugOf(piece)
  const url = routeOf(call, 'posts', { slug: `${slug},${slug}-2`, status: 'any', context: 'edit' })
  const [found] = await requestSite(call, { url, effect: 'read' }, z.array(Post))
  return found
}

function createDraft(
  call: PublishCall,
  piece: OutgoingPiece,
  content: ReturnType<typeof contentOf>,
): Promise<Post> {
  const json = { ...content, slug: slugOf(piece), status: 'draft' }
  // A second draft is no second post: it is found by its slug, or lies there unseen.
  return requestSite(call, { method: 'POST', url: routeOf(call, 'posts'), json, effect: 'repeatable' }, Post)
}

const slugOf = ({ key }: OutgoingPiece) => key.toLowerCase()
