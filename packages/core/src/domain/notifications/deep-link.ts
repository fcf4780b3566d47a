import type { Ctx } from '../context.ts'
import type { SubjectKind } from './entities.ts'

/** Where the app opens when a person taps: `<app scheme>://approvals/<id>`; without a subject its first screen. */
export function deepLink(ctx: Ctx, subject?: { kind: SubjectKind; id: string }): string {
  const place = subject ? `${subject.kind}/${subject.id}` : 'home'
  return `${ctx.services.settings.appScheme}://${place}`
}
