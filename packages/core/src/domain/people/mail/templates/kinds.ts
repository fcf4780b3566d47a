import { oneLine } from '../../../../platform/mail/text.ts'
import { type EmailMessage, messageSource } from './email-message.ts'
import type { EmailCategory, TemplateVariable } from './entities.ts'

export interface VariableSpec {
  description: string
  /** Whether every mail of the kind has it. */
  required: boolean
  /** Of several paragraphs, which `quoted` parts; every other value is made one line. */
  hasParagraphs?: true
}

/** A kind of mail that the product sends: what fills it, and what it says until an operator words it otherwise. */
export interface MailKind<V extends Record<string, VariableSpec> = Record<string, VariableSpec>> {
  slug: string
  name: string
  category: EmailCategory
  variables: V
  subject: string
  message: EmailMessage
}

/** The values that a mail of a kind is filled with. */
type ValuesOf<K> =
  K extends MailKind<infer V>
    ? { [Key in keyof V as V[Key]['required'] extends true ? Key : never]: string } & {
        [Key in keyof V as V[Key]['required'] extends true ? never : Key]?: string | undefined
      }
    : never

/** A mail to one person before it is worded. */
export interface FilledMail {
  kind: MailKind
  values: Readonly<Record<string, string | undefined>>
}

/** A mail of a kind with its values. No value begins a paragraph or a header of its own. */
export function mailOf<K extends MailKind>(kind: K, values: ValuesOf<K>): FilledMail {
  const entries = Object.entries(values as Record<string, string | undefined>)
  return {
    kind,
    values: Object.fromEntries(
      entries.map(([key, value]) => [
        key,
        value === undefined || kind.variables[key]?.hasParagraphs ? value : oneLine(value),
      ]),
    ),
  }
}

/** Names a kind of mail, so that its values are checked where it is sent. */
export const defineMail = <const V extends Record<string, VariableSpec>>(kind: MailKind<V>): MailKind<V> =>
  kind

/** What stands in the place of a template that no one has changed. */
interface ShippedTemplate {
  slug: string
  name: string
  category: EmailCategory
  subject: string
  bodyText: string
  bodyHtml: string
  variables: TemplateVariable[]
}

export const shippedTemplate = ({ message, variables, ...kind }: MailKind): ShippedTemplate => ({
  ...kind,
  ...messageSource(message),
  variables: Object.entries(variables).map(([key, { description, required }]) => ({
    key,
    description,
    required,
  })),
})

/** What an operator sends to see that mails arrive. */
export const testMail = defineMail({
  slug: 'test-mail',
  name: 'Test',
  category: 'custom',
  variables: { url: { description: 'Where Copydesk is opened', required: true } },
  subject: 'A test e-mail from Copydesk',
  message: {
    greeting: 'Hello,',
    paragraphs: [
      'This e-mail shows that the Copydesk at {{ url }} can send e-mails, and that they arrive here.',
    ],
  },
})
