import { shownName } from '../../../kernel/names.ts'
import type { EmailMessage } from '../../../platform/mail/email-message.ts'

/** What the mails about accounts say. Subjects are ours alone; what others have written stands in quotation marks. */
interface Written {
  subject: string
  letter: EmailMessage
}

export function resetLetter({ name, url }: { name: string; url: string }): Written {
  return {
    subject: 'Choose a new password for Copydesk',
    letter: {
      greeting: `Hello ${shownName(name)},`,
      paragraphs: [
        'Someone, most likely you, asked for a new password for your Copydesk account. Choose one here within an hour; the link works once.',
      ],
      link: { label: 'Choose a new password', url },
      closing: ['If it was not you, there is nothing to do: your password stays as it is.'],
    },
  }
}

export function invitationLetter(about: {
  /** Who invites; absent when it was done on the machine itself. */
  inviter: string | undefined
  tenantName: string
  expiresAt: Date
  url: string
}): Written {
  const { inviter, tenantName, expiresAt, url } = about
  const invites = inviter === undefined ? 'You are invited' : `“${shownName(inviter)}” invites you`
  return {
    subject: 'You are invited to work on Copydesk',
    letter: {
      greeting: 'Hello,',
      paragraphs: [
        `${invites} to work with “${shownName(tenantName)}” on Copydesk, where campaigns are planned, written and approved. Choose a password and you can begin.`,
      ],
      link: { label: 'Accept the invitation', url },
      closing: [
        `The link works once, until ${instant(expiresAt)}.`,
        'The names in quotation marks are as the people who invite you have written them.',
        'If you did not expect this, there is nothing to do: without you no account is made.',
      ],
    },
  }
}

export function passwordLetter({ name, at }: { name: string; at: Date }): Written {
  return {
    subject: 'Your Copydesk password has changed',
    letter: {
      greeting: `Hello ${shownName(name)},`,
      paragraphs: [
        `The password of your Copydesk account was changed on ${instant(at)}, and other devices were logged out.`,
        'If it was you, there is nothing to do. If it was not, ask for a new password on the login page now, and tell the people who run your Copydesk.',
      ],
    },
  }
}

const words = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** The reader's zone is not known, so the one that is meant is said. */
function instant(date: Date): string {
  return `${words.format(date)} UTC`
}
