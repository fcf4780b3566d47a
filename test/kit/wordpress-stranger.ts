import type { SiteAnswer } from './wordpress-media.ts'

/**
 * What WordPress 6.1.9 answers to anyone who brings a wrong login: they are not told so, but are strangers.
 * @param path after `/wp/v2`
 */
export function answerToStranger(
  method: string,
  path: string,
  posts: ReadonlyMap<number, unknown>,
): SiteAnswer {
  const [, id] = /^\/posts(?:\/(.+))?$/.exec(path) ?? []
  if (!path.startsWith('/posts')) return { status: 401, code: 'rest_not_logged_in' }
  if (id !== undefined && !posts.has(Number(id))) return { status: 404, code: 'rest_post_invalid_id' }
  if (method === 'DELETE') return { status: 401, code: 'rest_cannot_delete' }
  if (method === 'POST')
    return { status: 401, code: id === undefined ? 'rest_cannot_create' : 'rest_cannot_edit' }
  if (id !== undefined) return { status: 401, code: 'rest_forbidden_context' }
  const message = 'Status is forbidden.'
  const body = {
    code: 'rest_invalid_param',
    message: 'Invalid parameter(s): status',
    data: {
      status: 400,
      params: { status: message },
      details: { status: { code: 'rest_forbidden_status', message, data: { status: 401 } } },
    },
  }
  return { status: 400, body }
}
