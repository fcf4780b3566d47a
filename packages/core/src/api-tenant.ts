import type { z } from 'zod'
import { admins, members, rule, team } from './api-rules.ts'
import { brandHistory, brandVersion, putBrandContext, restoreBrandContext } from './domain/brand/context.ts'
import { getBrandContext } from './domain/brand/queries.ts'
import { BrandContext } from './domain/brand/schemas.ts'
import { generateStrategy } from './domain/strategy/generate.ts'
import { changeGoal, createGoal, deleteGoal } from './domain/strategy/goals.ts'
import { getGoal, getStrategy, listGoals } from './domain/strategy/queries.ts'
import { GoalChange, NewGoal, StrategyChange, StrategyRequest } from './domain/strategy/schemas.ts'
import { putStrategy, restoreStrategy, strategyHistory, strategyVersion } from './domain/strategy/strategy.ts'
import { performance } from './domain/analytics/performance.ts'
import { spend } from './domain/analytics/spend.ts'
import { getWebhook, listDeliveries, listWebhooks } from './domain/webhooks/queries.ts'
import { replayDelivery, testWebhook } from './domain/webhooks/queue.ts'
import { NewWebhook, WebhookChange } from './domain/webhooks/schemas.ts'
import { changeWebhook, createWebhook, deleteWebhook, rotateSecret } from './domain/webhooks/webhooks.ts'
import { addDocument, deleteDocument, type DocumentFile, readDocument } from './domain/documents/documents.ts'
import { getDocument, listDocuments } from './domain/documents/queries.ts'
import { NewDocument } from './domain/documents/schemas.ts'
import { check } from './domain/check.ts'

/** What a tenant sets for all of its work. */
export const tenantServices = {
  documents: {
    list: rule(team, listDocuments),
    get: rule(team, getDocument),
    read: rule(team, readDocument),
    add: rule(members, (ctx, file: DocumentFile, about: NewDocument = {}) =>
      addDocument(ctx, check(NewDocument, about), { file: [file] }),
    ),
    delete: rule(members, deleteDocument),
  },
  webhooks: {
    list: rule(admins, listWebhooks),
    get: rule(admins, getWebhook),
    create: rule(admins, (ctx, webhook: z.input<typeof NewWebhook>) =>
      createWebhook(ctx, check(NewWebhook, webhook)),
    ),
    rotateSecret: rule(admins, rotateSecret),
    change: rule(admins, (ctx, id: string, changes: WebhookChange) =>
      changeWebhook(ctx, id, check(WebhookChange, changes)),
    ),
    delete: rule(admins, deleteWebhook),
    test: rule(admins, testWebhook),
    deliveries: rule(admins, listDeliveries),
    replay: rule(admins, replayDelivery),
  },
  analytics: { spend: rule(team, spend), performance: rule(team, performance) },
  brand: {
    get: rule(team, getBrandContext),
    put: rule(members, (ctx, brand: z.input<typeof BrandContext>) =>
      putBrandContext(ctx, check(BrandContext, brand)),
    ),
    versions: rule(team, brandHistory),
    version: rule(team, brandVersion),
    restore: rule(members, restoreBrandContext),
  },
  goals: {
    list: rule(team, listGoals),
    get: rule(team, getGoal),
    create: rule(members, (ctx, goal: NewGoal) => createGoal(ctx, check(NewGoal, goal))),
    change: rule(members, (ctx, id: string, changes: GoalChange) =>
      changeGoal(ctx, id, check(GoalChange, changes)),
    ),
    delete: rule(members, deleteGoal),
  },
  strategy: {
    get: rule(team, getStrategy),
    put: rule(admins, (ctx, change: StrategyChange) => putStrategy(ctx, check(StrategyChange, change))),
    generate: rule(members, (ctx, request: StrategyRequest = {}) =>
      generateStrategy(ctx, check(StrategyRequest, request)),
    ),
    versions: rule(team, strategyHistory),
    version: rule(team, strategyVersion),
    restore: rule(admins, restoreStrategy),
  },
}
