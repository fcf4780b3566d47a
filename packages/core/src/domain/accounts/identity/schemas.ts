import { z } from 'zod'
import { apps, assistantAccesses, roles } from '../../../kernel/context.ts'
import { plainName } from '../../../kernel/names.ts'
import { isoDate, ulid } from '../../../platform/wire.ts'

export const Email = z
  .email()
  .max(254)
  .transform((text) => text.toLowerCase())
export const Password = z.string().min(8, 'A password has 8 characters or more').max(200)

export const Login = z.object({
  /** In the one spelling that logins are counted by. */
  email: z.string().max(254).trim().toLowerCase().min(1),
  password: z.string().min(1).max(200),
  app: z.enum(apps),
})
export type Login = z.output<typeof Login>

const appAccess = z.array(z.enum(apps))

export const LoginReply = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  user: z.object({
    id: ulid,
    email: z.string(),
    name: z.string(),
    role: z.enum(roles),
    appAccess,
    tenantId: ulid.optional(),
    tenantName: z.string().optional(),
  }),
})
export type LoginReply = z.output<typeof LoginReply>

export const Refresh = z.object({ refreshToken: z.string().min(1).max(500) })
export const RefreshReply = z.object({ accessToken: z.string() })

export const UserProfile = z.object({
  id: ulid,
  email: z.string(),
  name: z.string(),
  role: z.enum(roles),
  appAccess,
  createdOn: isoDate,
  phone: z.string().nullable(),
  country: z.string().nullable(),
  about: z.string().nullable(),
  whatsapp: z.string().nullable(),
  image: z.string().optional(),
  /** False while no one has shown that the e-mail address is this person's; what the account may do is limited then. */
  mailboxProved: z.boolean(),
})
export type UserProfile = z.output<typeof UserProfile>

/** Whom a credential of staff stands for. */
export const StaffProfile = UserProfile.extend({
  credential: z.enum(['api_key', 'token']),
  /** What an assistant may do with it. */
  assistantAccess: z.enum(assistantAccesses),
})
export type StaffProfile = z.output<typeof StaffProfile>

/** An empty text and null both take a detail away. */
const detail = (max: number) => z.string().trim().max(max).nullable().optional()

export const ProfileChanges = z.object({
  name: plainName(200).optional(),
  phone: detail(50),
  country: detail(100),
  about: detail(5_000),
  whatsapp: detail(50),
})
export type ProfileChanges = z.output<typeof ProfileChanges>

export const PasswordChange = z.object({ currentPassword: z.string().min(1).max(200), newPassword: Password })
export type PasswordChange = z.output<typeof PasswordChange>
export const PasswordChanged = z.object({ success: z.literal(true) })

export const ForgotPassword = z.object({
  email: z.string().max(254).trim().toLowerCase().pipe(Email),
})
export const ResetPassword = z.object({ token: z.string().min(1).max(4_000), newPassword: Password })
export type ResetPassword = z.output<typeof ResetPassword>

export const ConfirmMailbox = z.object({ token: z.string().min(1).max(4_000) })
export const MailboxConfirmed = z.object({ mailboxProved: z.literal(true) })

export const InvitationView = z.object({
  email: z.string(),
  name: z.string(),
  tenantName: z.string(),
  role: z.enum(roles),
  /** `existing`: it is accepted with the password of the account that there is; told to the owner of the mailbox only. */
  account: z.enum(['new', 'existing']),
})
export type InvitationView = z.output<typeof InvitationView>
export const AcceptInvitation = z.object({ password: Password })
