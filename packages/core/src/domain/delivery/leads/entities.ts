import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, onlyOn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { LeadStatus } from './fields.ts'
import { LeadForm } from './forms/entities.ts'

export const leadSources = ['form', 'search_ads', 'social_ads', 'manual', 'import'] as const
export type LeadSource = (typeof leadSources)[number]

/** `agreed` and `declined`: what the lead has said where a form has asked for consent, or to a person, who has noted it. */
export const timelineKinds = [
  'created',
  'agreed',
  'declined',
  'comment',
  'status',
  'score',
  'tags',
  'assignment',
  'change',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

/** Someone who may become a customer of the tenant. */
export const Lead = defineEntity({
  name: 'Lead',
  tableName: 'leads',
  properties: {
    /** Its place in lists, and what the index of words knows it by. */
    seq: p.integer().primary().autoincrement(),
    id: refColumn(),
    tenantId: refColumn(),
    /** May be empty, as the last name may be. */
    firstName: p.string(),
    lastName: p.string(),
    /** As it was given. */
    email: p.string().strictNullable(),
    phone: p.string().strictNullable(),
    company: p.string().strictNullable(),
    status: p.string().$type<LeadStatus>(),
    source: p.string().$type<LeadSource>(),
    /** What the source calls itself: the label of an import, the page of a form. */
    sourceRef: p.string().strictNullable(),
    /** 0 to 100. */
    score: p.integer().strictNullable(),
    assignedToId: refColumn().strictNullable(),
    tags: p.json().$type<string[]>(),
    /** What no other lead of the tenant has: see `identityOf`. Null for a lead that cannot be told from another. */
    identity: p.string().length(300).strictNullable(),
    /** The phone number as numbers are compared. */
    phoneKey: p.string().strictNullable(),
    /** The words that it is searched by, each after a space. */
    words: p.text(),
    importId: refColumn().strictNullable(),
    /** How often it was changed: an import that is undone leaves what was. */
    revision: p.integer(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'leads_id', properties: ['id'] },
    // On SQLite two tables see to it: see the migration `0076-lead-identities`.
    { name: 'leads_identity', properties: ['tenantId', 'identity'], options: onlyOn('postgresql') },
  ],
  indexes: [
    { name: 'leads_in_order', properties: ['tenantId', 'seq'] },
    // For each of the two filters alone, too: the few values of the other one are ranges of it.
    { name: 'leads_by_status', properties: ['tenantId', 'status', 'source', 'seq'] },
    { name: 'leads_by_phone', properties: ['tenantId', 'phoneKey'], where: 'phone_key is not null' },
    // SQLite has a table for it: see the migration `0044-lead-order`.
    {
      name: 'leads_by_words',
      expression: `create index "leads_by_words" on "leads" using gin (lead_terms(tenant_id, seq, words, status, source))`,
      options: onlyOn('postgresql'),
    },
  ],
  filters: ownedByTenant,
})

export type LeadRow = InferEntity<typeof Lead>

/** What has happened to a lead. That it was created by an import stands with the lead itself. */
export const LeadEvent = defineEntity({
  name: 'LeadEvent',
  tableName: 'lead_events',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    leadId: refColumn(),
    kind: p.string().$type<TimelineKind>(),
    text: p.text(),
    actorId: p.string().strictNullable(),
    actorName: p.string(),
    at: instantColumn(),
  },
  indexes: [{ name: 'lead_events_by_lead', properties: ['leadId', 'id'] }],
  filters: ownedByTenant,
})

export const importStatuses = ['processing', 'completed', 'failed'] as const
/** What happens to a line whose lead is there already. */
export const duplicatePolicies = ['skip', 'update'] as const
export type DuplicatePolicy = (typeof duplicatePolicies)[number]

/** How the text of a file is read. */
export interface CsvFormat {
  delimiter: string
  /** By column, the field that it fills; null for a column that is left out. */
  columns: readonly (string | null)[]
  /** The header as it stands in the file. */
  header: readonly string[]
}

/** One import of a CSV file. Its text, as UTF-8 with one kind of line ends, is a blob until the import has ended. */
export const LeadImport = defineEntity({
  name: 'LeadImport',
  tableName: 'lead_imports',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    label: p.string(),
    fileName: p.string(),
    sizeBytes: p.integer(),
    duplicates: p.string().$type<DuplicatePolicy>(),
    format: p.json().$type<CsvFormat>(),
    status: p.string().$type<(typeof importStatuses)[number]>(),
    total: p.integer(),
    imported: p.integer(),
    updated: p.integer(),
    skipped: p.integer(),
    /** How far the text has been read: bytes, and the line that begins there. */
    readBytes: p.integer(),
    nextLine: p.integer(),
    /** Why it has failed as a whole. */
    reason: p.text().strictNullable(),
    undo: p.string().$type<'processing' | 'completed'>().strictNullable(),
    /** How many leads the undoing has removed, and how many it has left because they were changed. */
    removed: p.integer(),
    kept: p.integer(),
    createdById: p.string(),
    createdByName: p.string(),
    createdOn: instantColumn(),
    finishedOn: instantColumn().strictNullable(),
  },
  indexes: [{ name: 'lead_imports_by_tenant', properties: ['tenantId', 'status'] }],
  filters: ownedByTenant,
})

export type LeadImportRow = InferEntity<typeof LeadImport>

/** A line of an import that became no lead. */
export const LeadImportError = defineEntity({
  name: 'LeadImportError',
  tableName: 'lead_import_errors',
  properties: {
    importId: refColumn().primary(),
    /** The line of the file on which it begins; the first is 1. */
    line: p.integer().primary(),
    tenantId: refColumn(),
    reason: p.string(),
    cells: p.json().$type<readonly string[]>(),
  },
  filters: ownedByTenant,
})

export const leadEntities = [Lead, LeadEvent, LeadImport, LeadImportError, LeadForm]
