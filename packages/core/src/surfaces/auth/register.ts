import {
  registrationProgress,
  saveCompany,
  savePlace,
  startRegistration,
} from '../../domain/accounts/identity/registration.ts'
import { completeRegistration } from '../../domain/accounts/identity/registration-complete.ts'
import {
  CompanyReply,
  CompleteReply,
  PlaceReply,
  RegisterCompany,
  RegisterComplete,
  RegisterPlace,
  RegisterProgress,
  RegisterStart,
  StartReply,
} from '../../domain/accounts/identity/registration-schemas.ts'
import { access, publicAccess } from '../../gateway/access.ts'
import { endpoint } from '../../gateway/endpoint.ts'

/** A visitor with the token of a registration, which is valid nowhere else. */
const visitor = access({ roles: 'any', credentials: ['registration'] })

export const start = endpoint({
  id: 'auth.register.start',
  route: 'POST /register/start',
  summary: 'Begin the registration of a tenant: who you are',
  description:
    'Closed unless the operator opens registration: this and all further steps answer 403 then. `GET /plans` stays readable.',
  access: publicAccess,
  takesCredential: true,
  body: RegisterStart,
  reply: { 201: StartReply },
  errors: ['CONFLICT', 'FORBIDDEN', 'THROTTLED'],
  // Limits checks of whether an e-mail address has an account to ten an hour.
  limit: { requests: 10, perSeconds: 3_600, by: 'ip' },
}).handle((ctx, { body }) => startRegistration(ctx, body))

export const company = endpoint({
  id: 'auth.register.company',
  route: 'POST /register/step/2',
  summary: 'Say what your company is',
  description: 'May be repeated until the registration is complete.',
  access: visitor,
  takesCredential: true,
  body: RegisterCompany,
  reply: { 200: CompanyReply },
  errors: ['CONFLICT'],
}).handle((ctx, { body }) => saveCompany(ctx, body))

export const place = endpoint({
  id: 'auth.register.place',
  route: 'POST /register/step/3',
  summary: 'Say where your company is',
  description: 'May be repeated until the registration is complete.',
  access: visitor,
  takesCredential: true,
  body: RegisterPlace,
  reply: { 200: PlaceReply },
  errors: ['CONFLICT'],
}).handle((ctx, { body }) => savePlace(ctx, body))

export const complete = endpoint({
  id: 'auth.register.complete',
  route: 'POST /register/complete',
  summary: 'Choose a plan and create a tenant',
  description:
    'On a paid plan the tenant stays in `onboarding` until it is paid. No run starts before the e-mail address is confirmed by the link in the e-mail that is sent. The number of free tenants per day is limited: 429 with `Retry-After` until the next day. The payment fields are present when a payment provider is configured.',
  access: visitor,
  takesCredential: true,
  body: RegisterComplete,
  reply: { 201: CompleteReply },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
}).handle((ctx, { body }) => completeRegistration(ctx, body))

export const session = endpoint({
  id: 'auth.register.session',
  route: 'GET /register/session',
  summary: 'How far your registration has come',
  access: visitor,
  reply: { 200: RegisterProgress },
}).handle((ctx) => registrationProgress(ctx))
