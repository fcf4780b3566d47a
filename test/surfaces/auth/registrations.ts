import { createTestApp, type TestApp } from '../../kit/app.ts'
import { mailsOf, tokenIn } from '../../kit/mail.ts'

/** An instance that visitors may register at. */
export const createOpenApp = (changes: Parameters<typeof createTestApp>[0] = {}) =>
  createTestApp({ registration: 'open', ...changes })

/** What a visitor answers when nothing is wrong. */
export const person = {
  firstName: 'Ines',
  lastName: 'Okafor',
  email: 'ines@hearth.example',
  phone: '+44 20 7946 0000',
  password: 'Rolled-oats-7',
  country: 'GB',
}
export const company = {
  companyName: 'Hearth & Oat',
  website: 'https://www.hearth.example/shop',
  industry: 'Bakery',
  companySize: '11-50',
  businessType: 'in_house',
}
export const place = { state: 'ENG', timezone: 'Europe/London' }

/** Every table that a registration could leave something in. */
export const registrationTables = [
  'registrations',
  'tenants',
  'tenant_profiles',
  'tenant_agents',
  'users',
  'sessions',
  'subscriptions',
  'invoices',
  'number_sequences',
  'coupons',
  'coupon_redemptions',
  'audit_records',
  'event',
  'job',
]

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint: the body of any answer
  json: any
}

let callers = 0

/** Sends a request from an address of its own, so that no limit of callers without an account counts. */
export async function send(
  app: TestApp,
  route: string,
  options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const [method = 'GET', path = ''] = route.split(' ')
  const { token, body, headers } = options
  callers += 1
  const response = await app.fetch(
    `/auth/v1${path}`,
    {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    },
    { ip: `10.${3 + Math.floor(callers / 60_000)}.${Math.floor(callers / 250) % 240}.${callers % 250}` },
  )
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? null : JSON.parse(text),
  }
}

/** Begins a registration. @returns its token */
export async function begin(app: TestApp, changes: Partial<typeof person> = {}): Promise<string> {
  const { status, text, json } = await send(app, 'POST /register/start', { body: { ...person, ...changes } })
  if (status !== 201) throw new Error(`register/start answered ${status}: ${text}`)
  return json.sessionToken
}

/** Takes a registration up to where it can be completed. @returns its token */
export async function ready(
  app: TestApp,
  changes: { person?: Partial<typeof person>; company?: Partial<typeof company>; place?: object } = {},
): Promise<string> {
  const token = await begin(app, changes.person)
  const second = await send(app, 'POST /register/step/2', { token, body: { ...company, ...changes.company } })
  const third = await send(app, 'POST /register/step/3', { token, body: { ...place, ...changes.place } })
  if (second.status !== 200 || third.status !== 200)
    throw new Error(`the steps answered ${second.text} and ${third.text}`)
  return token
}

export function complete(app: TestApp, token: string, body: object = { plan: 'free' }): Promise<Answer> {
  return send(app, 'POST /register/complete', { token, body })
}

/** Confirms the address of someone who has registered, with the token of the mailed link. */
export async function confirm(app: TestApp, email: string, accessToken: string): Promise<Answer> {
  const token = await app.until(async () => {
    const mails = await mailsOf(app)
    const mail = mails.find(
      ({ to, subject }) => to.includes(email) && subject.includes('Confirm your address'),
    )
    return mail && tokenIn(mail)
  }, `${email} is asked to confirm the address`)
  return send(app, 'POST /me/mailbox', { token: accessToken, body: { token } })
}
