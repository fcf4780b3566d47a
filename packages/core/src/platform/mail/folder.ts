import { join, resolve } from 'node:path'
import { createDirectoryBlobs } from '../blobs.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { MailSender } from './mail.ts'
import { toMessage } from './message.ts'

/** Where there is no mail server: each mail is a file that a mail program opens. A second try replaces the first. */
export function createFolderSender(options: {
  folder: string
  from: string
  clock: Clock
  log: Logger
}): MailSender {
  const folder = resolve(options.folder)
  const files = createDirectoryBlobs(folder)
  return {
    async send(mail) {
      const { createTransport } = await import('nodemailer')
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message } = await composer.sendMail(toMessage(mail, options))
      const name = `${mail.id}.eml`
      await files.put(name, message as Buffer)
      options.log.info('no mail server is configured, so a mail was written to a file', {
        path: join(folder, name),
      })
    },
    async check() {
      await files.check()
      return `no mail server is configured: mails are written to ${folder}`
    },
  }
}
