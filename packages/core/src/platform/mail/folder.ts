import { join, resolve } from 'node:path'
import { createDirectoryBlobs } from '../blobs/directory.ts'
import type { Logger } from '../log.ts'
import { composeMail, type DkimOptions } from './compose.ts'
import type { MailWayOut } from './mail.ts'

/** Where there is no way out: each mail is a file that a mail program opens. A second try replaces the first. */
export function createFolderSender(options: {
  folder: string
  dkim: DkimOptions | undefined
  log: Logger
}): MailWayOut {
  const folder = resolve(options.folder)
  const files = createDirectoryBlobs(folder)
  return {
    async send(mail) {
      const name = `${mail.id}.eml`
      await files.put(name, await composeMail(mail, options.dkim))
      options.log.info('no mail server is configured, so a mail was written to a file', {
        path: join(folder, name),
      })
    },
    async check() {
      await files.check()
      return `no mail server is configured: mails are written to ${folder}`
    },
    close: () => Promise.resolve(),
  }
}
