import { defineMail } from '../../people/mail/templates/kinds.ts'

/** What the mails about accounts say. Subjects are ours alone; what others have written stands in quotation marks. */

const name = { description: 'Name of the person who gets the mail', required: true }

export const passwordResetMail = defineMail({
  slug: 'password-reset',
  name: 'New password',
  category: 'onboarding',
  variables: {
    name,
    url: { description: 'Where a new password is chosen; valid for an hour, once', required: true },
  },
  subject: 'Choose a new password for Copydesk',
  message: {
    greeting: 'Hello {{ name }},',
    paragraphs: [
      'Someone, most likely you, asked for a new password for your Copydesk account. Choose one here within an hour; the link works once.',
    ],
    link: { label: 'Choose a new password', url: '{{ url }}' },
    closing: ['If it was not you, there is nothing to do: your password stays as it is.'],
  },
})

export const invitationMail = defineMail({
  slug: 'invitation',
  name: 'Invitation',
  category: 'onboarding',
  variables: {
    inviter: { description: 'Name of the person who invites, where it is a person', required: false },
    tenant: { description: 'Name of the tenant', required: true },
    expires: { description: 'Until when the link works, in words', required: true },
    url: { description: 'Where the invitation is accepted', required: true },
  },
  subject: 'You are invited to work on Copydesk',
  message: {
    greeting: 'Hello,',
    paragraphs: [
      '{% if inviter %}“{{ inviter }}” invites you{% else %}You are invited{% endif %} to work with “{{ tenant }}” on Copydesk, where campaigns are planned, written and approved. Choose a password and you can begin.',
    ],
    link: { label: 'Accept the invitation', url: '{{ url }}' },
    closing: [
      'The link works once, until {{ expires }}.',
      'The names in quotation marks are as the people who invite you have written them.',
      'If you did not expect this, there is nothing to do: without you no account is made.',
    ],
  },
})

export const passwordChangedMail = defineMail({
  slug: 'password-changed',
  name: 'Password changed',
  category: 'alert',
  variables: { name, time: { description: 'When it was changed, in words', required: true } },
  subject: 'Your Copydesk password has changed',
  message: {
    greeting: 'Hello {{ name }},',
    paragraphs: [
      'The password of your Copydesk account was changed on {{ time }}, and other devices were logged out.',
      'If it was you, there is nothing to do. If it was not, ask for a new password on the login page now, and tell the people who run your Copydesk.',
    ],
  },
})

export const mailboxProofMail = defineMail({
  slug: 'confirm-address',
  name: 'Confirmation of an address',
  category: 'onboarding',
  variables: {
    name,
    email: { description: 'The address that is to be confirmed', required: true },
    url: { description: 'Where it is confirmed; valid for seven days', required: true },
  },
  subject: 'Confirm your address for Copydesk',
  message: {
    greeting: 'Hello {{ name }},',
    paragraphs: [
      'There is a Copydesk account for {{ email }}. Log in and open this link to confirm that the address is yours; until then the account cannot do everything that it may.',
    ],
    link: { label: 'Confirm your address', url: '{{ url }}' },
    closing: [
      'The link is valid for seven days.',
      'If you have not made this account, or do not know its password, do not open the link. Ask for a new password on the login page instead: that makes the account yours and ends every login that others have to it.',
    ],
  },
})

const parts = {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
} as const
let words: Intl.DateTimeFormat | undefined

/** The reader's zone is not known, so the one that is meant is said. */
export function instantInWords(date: Date): string {
  // Made when it is first used: that takes longer than the rest of this file.
  words ??= new Intl.DateTimeFormat('en-GB', parts)
  return `${words.format(date)} UTC`
}
