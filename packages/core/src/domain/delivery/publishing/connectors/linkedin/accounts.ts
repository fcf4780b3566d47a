import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import type { PlatformAccount } from '../../connector.ts'
import { readAs, requestAs } from '../requests.ts'
import { linkedinHeaders, linkedinUrl, readRest } from './rest.ts'

const mostPages = 20

const Me = z.object({ sub: z.string(), name: z.string().default('') })
const Roles = z.object({ elements: z.array(z.object({ organization: z.string() })) })
const Page = z.object({ localizedName: z.string() })

/** The member, and the pages whose administrator they are; to see these needs scopes that LinkedIn gives after a review. */
export async function linkedinAccounts(call: PlatformCall): Promise<PlatformAccount[]> {
  const me = await requestAs(call, { url: linkedinUrl(call, '/v2/userinfo'), effect: 'read' }, Me)
  const found: PlatformAccount[] = [
    { name: me.name || me.sub, account: { author: `urn:li:person:${me.sub}` } },
  ]
  const url = linkedinUrl(
    call,
    '/rest/organizationAcls?q=roleAssignee&role=ADMINISTRATOR&state=APPROVED&count=100',
  )
  const answer = await call.ask({ url, headers: linkedinHeaders(call) }, [403])
  if (answer.status === 403) return found
  for (const { organization } of readAs(answer, Roles).elements.slice(0, mostPages)) {
    const id = organization.split(':').at(-1) ?? ''
    const { localizedName: name } = await readRest(
      call,
      `/rest/organizations/${encodeURIComponent(id)}`,
      Page,
    )
    found.push({ name, account: { author: organization } })
  }
  return found
}
