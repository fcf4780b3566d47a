import type { Command } from 'commander'
import { agentCommands } from './agent.ts'
import { apiKeyCommands } from './api-key.ts'
import { auditCommand } from './audit.ts'
import { billingCommands } from './billing.ts'
import { configCommands } from './config.ts'
import { couponCommands } from './coupon.ts'
import { demoCommand } from './demo/command.ts'
import { doctorCommand } from './doctor.ts'
import { inspectCommands } from './inspect.ts'
import { inviteCommands } from './invite.ts'
import { invoiceCommands } from './invoice.ts'
import { jobCommands } from './jobs.ts'
import { keyCommands } from './keys.ts'
import { mailCommands } from './mail.ts'
import { migrateCommands } from './migrate.ts'
import { modelCommands } from './model.ts'
import { planCommands } from './plan.ts'
import { providerCommands } from './provider.ts'
import { runCommands } from './runs.ts'
import { serveCommands } from './serve.ts'
import { skillCommands } from './skill.ts'
import { storageCommands } from './storage.ts'
import { tenantCommands } from './tenant.ts'
import { userCommands } from './user.ts'

const groups = [
  demoCommand,
  serveCommands,
  migrateCommands,
  tenantCommands,
  userCommands,
  inviteCommands,
  apiKeyCommands,
  keyCommands,
  auditCommand,
  jobCommands,
  planCommands,
  couponCommands,
  invoiceCommands,
  billingCommands,
  mailCommands,
  providerCommands,
  modelCommands,
  runCommands,
  agentCommands,
  skillCommands,
  storageCommands,
  doctorCommand,
  configCommands,
  inspectCommands,
]

/** The commands that use the database on this machine directly. */
export function registerLocal(program: Command): void {
  program.commandsGroup('On this machine:')
  for (const register of groups) register(program)
}
