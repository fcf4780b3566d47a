import type { OperationContext } from './operation.ts'

/**
 * Why the caller cannot see what is in datasets, in one sentence; undefined when permitted. Asked before the first
 * request, because the refusal of a credential looks like that of a login that has ended.
 */
export async function knowledgeRefusal({ client, tenant }: OperationContext): Promise<string | undefined> {
  if (tenant) return undefined
  const { credential, role } = await client.call('cli', 'GET /me')
  if (credential === 'api_key')
    return 'Files, search and crawls need a login with a password, and this is an API key: copydesk login --email you@example.com'
  if (role === 'super_admin')
    return 'Files, search and crawls of a tenant are for its reviewers and users, and you are a super-admin.'
  return undefined
}
