import type { Copydesk } from '@copydesk/core'
import { password, type TestApp } from '../kit/app.ts'
import { type Operator, sendTo } from '../kit/operator.ts'

const adminEmail = 'admin.1.tenant-1@test.example'

export const suspend = (operator: Operator, id: string, body: object = { reason: 'unpaid' }) =>
  operator.send('POST', `/admin/v1/tenants/${id}/suspend`, body)
export const reinstate = (operator: Operator, id: string, body?: object) =>
  operator.send('POST', `/admin/v1/tenants/${id}/reinstate`, body)

/** Tries to log in, as the admin of the first team unless someone else is named. */
export const logIn = (app: TestApp, email = adminEmail, to = 'dashboard') =>
  sendTo(app, 'POST', '/auth/v1/login', { body: { email, password, app: to } })

/** Opens a path of one server with a credential. */
export const open = (server: Pick<Copydesk, 'fetch'>, token: string, path: string, scheme = 'Bearer') =>
  server.fetch(
    new Request(`http://copydesk.test${path}`, { headers: { authorization: `${scheme} ${token}` } }),
  )

export const statusOn = async (
  server: Pick<Copydesk, 'fetch'>,
  token: string,
  path = '/auth/v1/me',
  scheme = 'Bearer',
) => (await open(server, token, path, scheme)).status

export const agentStates = (app: TestApp, tenantId: string) =>
  app.db.sql.all<{ role: string; status: string }>(
    'select role, status from tenant_agents where tenant_id = ? order by role',
    [tenantId],
  )
