import { z } from 'zod'
import { sha256Hex } from '../../../../../platform/crypto/hash.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { PublishCall } from '../../connector.ts'
import type { PostPicture } from '../../post-text.ts'
import { bearerOf, readAs, requestAs } from '../requests.ts'
import { mastodonUrl } from './rules.ts'

const Media = z.object({ id: z.string(), url: z.string().nullable().default(null) })

/** What a status shows in the place of its pictures once it is changed: under these names their ids are kept, and that they are ready. */
export function namesOf(pictures: readonly PostPicture[]): { ids: string; ready: string } {
  const shown = sha256Hex(JSON.stringify(pictures.map(({ url, alt }) => [url, alt]))).slice(0, 16)
  return { ids: `media.${shown}`, ready: `ready.${shown}` }
}

/** Uploads what is missing. @param name under which the ids are kept @returns the ids in order */
export async function uploaded(
  call: PublishCall,
  pictures: readonly PostPicture[],
  name: string,
): Promise<string[]> {
  const ids = (call.progress[name] ?? '').split(',').filter(Boolean)
  for (const picture of pictures.slice(ids.length)) {
    const { bytes, type } = await call.fetch(picture)
    const form = new FormData()
    form.set('file', new Blob([bytes], { type }), `picture.${type.slice('image/'.length)}`)
    if (picture.alt !== '') form.set('description', picture.alt.slice(0, 1_500))
    const packed = new Response(form)
    const request = {
      method: 'POST',
      url: mastodonUrl(call, '/api/v2/media'),
      headers: { 'content-type': packed.headers.get('content-type') ?? '' },
      bytes: new Uint8Array(await packed.arrayBuffer()),
      // One that no status names is thrown away.
      effect: 'repeatable',
    } as const
    ids.push((await requestAs(call, request, Media)).id)
    await call.save({ ...call.progress, [name]: ids.join(',') })
  }
  return ids
}

/**
 * Whether the server has done with all pictures. Once a status has them, it shows them no more.
 * @param name under which the ids are kept: those of a server that has lost one are forgotten
 */
export async function areReady(call: PublishCall, ids: readonly string[], name: string): Promise<boolean> {
  for (const id of ids) {
    const url = mastodonUrl(call, `/api/v1/media/${encodeURIComponent(id)}`)
    const answer = await call.ask({ url, headers: bearerOf(call) }, [404])
    if (answer.status === 404) {
      await keepOthers(call, name)
      throw new PlatformError('transient', 'The server has lost a picture')
    }
    if (answer.status === 206 || readAs(answer, Media).url === null) return false
  }
  return true
}

/** Forgets what was uploaded in the place of other pictures, so that it is uploaded again. */
export function forget(call: PublishCall, pictures: readonly PostPicture[]): Promise<void> {
  const { ids, ready } = namesOf(pictures)
  return keepOthers(call, ids, ready)
}

function keepOthers(call: PublishCall, ...names: string[]): Promise<void> {
  return call.save(
    Object.fromEntries(Object.entries(call.progress).filter(([name]) => !names.includes(name))),
  )
}
