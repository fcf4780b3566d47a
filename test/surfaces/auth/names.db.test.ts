import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createOperator } from '../../kit/operator.ts'
import { onboard } from '../onboarding.ts'
import { begin, company, createOpenApp, person, send } from './registrations.ts'

const faulty = [
  'Win at https://evil.example',
  'evil.example',
  'Two\nlines',
  'Turned \u202Etxet',
  'eve@evil.example',
]

interface Refused {
  status: number
  json: { error?: { code: string; field?: string } }
}

/** Every faulty name is refused on its field. */
async function expectRefused(field: string, attempt: (name: string) => Promise<Refused>) {
  for (const name of faulty) {
    const { status, json } = await attempt(name)
    expect([status, json.error?.code, json.error?.field], name).toEqual([400, 'VALIDATION_ERROR', field])
  }
}

describe('a name with a link, a line break or a control character is rejected with 400 VALIDATION_ERROR', () => {
  it('at registration', async () => {
    await using app = await createOpenApp({ worker: false })
    for (const field of ['firstName', 'lastName'])
      await expectRefused(field, (name) =>
        send(app, 'POST /register/start', { body: { ...person, [field]: name } }),
      )
    const token = await begin(app)
    await expectRefused('companyName', (companyName) =>
      send(app, 'POST /register/step/2', { token, body: { ...company, companyName } }),
    )
  })

  it('from operators', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    for (const field of ['displayName', 'firstName', 'lastName', 'legalName', 'billingName'])
      await expectRefused(field, (name) => onboard(app, operator, { [field]: name }))
    const { tenantId } = await app.team()
    await expectRefused('name', (name) => operator.send('PATCH', `/admin/v1/tenants/${tenantId}`, { name }))
  })

  it('in a profile and in an invitation', async () => {
    await using app = await createTestApp({ worker: false })
    const { adminToken } = await app.team()
    const call = async (method: string, path: string, body: object): Promise<Refused> => {
      const response = await app.fetch(path, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, json: (await response.json()) as Refused['json'] }
    }
    await expectRefused('name', (name) => call('PATCH', '/auth/v1/me', { name }))
    await expectRefused('name', (name) =>
      call('POST', '/dashboard/v1/team/invite', { email: 'eve@test.example', name, role: 'member' }),
    )
  })

  it('on the command line', async () => {
    await using app = await createTestApp({ worker: false })
    const { tenants, users, invitations } = app.copydesk.asSystem()
    const { tenantId } = await app.team()
    const email = 'eve@test.example'
    for (const name of faulty) {
      const refused = { code: 'VALIDATION_ERROR', field: 'name' }
      const password = 'Correct-horse-1'
      await expect(tenants.create({ name })).rejects.toMatchObject(refused)
      await expect(users.create({ email, name, password, role: 'member', tenantId })).rejects.toMatchObject(
        refused,
      )
      await expect(invitations.create({ email, name, role: 'member', tenantId })).rejects.toMatchObject(
        refused,
      )
    }
  })
})
