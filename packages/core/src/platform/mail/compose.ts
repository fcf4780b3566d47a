import { createPrivateKey } from 'node:crypto'
import type { DKIMOptions } from 'nodemailer'
import { type OutgoingMail, toMessage } from './mail.ts'

/** The key by which mails are signed (RFC 6376), and where its public half stands: `<selector>._domainkey.<domain>`. */
export interface DkimOptions {
  domain: string
  selector: string
  /** PEM. */
  privateKey: string
}

/** Whether a text is a key that mails can be signed with. */
export function isDkimKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

/** What is signed. RFC 8058 wants the header by which one click unsubscribes among them; the library leaves it out. */
const signed =
  `From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding
  :In-Reply-To:References:Auto-Submitted:List-Id:List-Help:List-Unsubscribe:List-Unsubscribe-Post:List-Subscribe
  :List-Post:List-Owner:List-Archive`.replace(/\s/g, '')

/** The key as nodemailer takes it. */
export const toDkim = ({ domain, selector, privateKey }: DkimOptions): DKIMOptions => ({
  domainName: domain,
  keySelector: selector,
  privateKey,
  headerFieldNames: signed,
})

/** A mail as it goes over the wire. */
export async function composeMail(mail: OutgoingMail, dkim: DkimOptions | undefined): Promise<Buffer> {
  const { createTransport } = await import('nodemailer')
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    ...(dkim && { dkim: toDkim(dkim) }),
  })
  const { message } = await composer.sendMail(toMessage(mail))
  return message as Buffer
}
