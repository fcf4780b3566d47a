import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a request for a message meets; without one the message is taken. */
export type SmsMishap = 'cut before' | 'cut after' | { status: number; code: number; message: string }

/** Plays the service of text messages on 127.0.0.1, with its errors, for one account. */
export interface SmsServer extends AsyncDisposable {
  options: { accountSid: string; authToken: string; from: string; baseUrl: string }
  /** Those that it has taken. */
  taken: Array<{ to: string; from: string; text: string }>
  /** Taken from the front, one for each request that sends. */
  mishaps: SmsMishap[]
}

export async function startSmsServer(): Promise<SmsServer> {
  const accountSid = `AC${'0'.repeat(31)}7`
  const authToken = 'the token'
  const taken: SmsServer['taken'] = []
  const mishaps: SmsMishap[] = []
  const key = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const fail = (status: number, code: number, message: string) =>
      answer(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status })
    if (request.headers.authorization !== key) return fail(401, 20_003, 'Authenticate')
    const account = `/2010-04-01/Accounts/${accountSid}`
    if (request.method === 'GET' && request.url === `${account}.json`)
      return answer(200, { sid: accountSid, status: 'active' })
    if (request.method !== 'POST' || request.url !== `${account}/Messages.json`)
      return fail(404, 20_404, 'The requested resource was not found')
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const mishap = mishaps.shift()
    if (mishap === 'cut before') return void response.destroy()
    if (typeof mishap === 'object') return fail(mishap.status, mishap.code, mishap.message)
    const [to, from, text] = ['To', 'From', 'Body'].map((name) => form.get(name) ?? '')
    if (!/^\+[1-9]\d{6,14}$/.test(to ?? ''))
      return fail(400, 21_211, "The 'To' number is not a valid phone number")
    if (!text) return fail(400, 21_602, 'Message body is required')
    if (text.length > 1_600)
      return fail(400, 21_617, 'The concatenated message body exceeds the 1600 character limit')
    taken.push({ to: to ?? '', from: from ?? '', text })
    if (mishap === 'cut after') return void response.destroy()
    answer(201, { sid: `SM${taken.length}`, status: 'queued', to, from, body: text, error_code: null })
  }
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    options: { accountSid, authToken, from: '+4930000001', baseUrl },
    taken,
    mishaps,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
