import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import {
  dateColumn,
  idColumn,
  instantColumn,
  microsColumn,
  refColumn,
} from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

export const classifications = ['add_as_keyword', 'add_as_negative', 'watch', 'irrelevant'] as const
export type Classification = (typeof classifications)[number]

export const classificationStatuses = ['pending', 'dm_reviewed', 'pushed'] as const
export type ClassificationStatus = (typeof classificationStatuses)[number]

/** What people have searched for on one day, when ads of a campaign were shown. A term is sorted once, for all of its days. */
export const SearchTermReport = defineEntity({
  name: 'SearchTermReport',
  tableName: 'search_terms',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    term: p.string(),
    /** In the zone of the platform's account. */
    date: dateColumn(),
    currency: p.string().length(3),
    impressions: p.bigint('number'),
    clicks: p.bigint('number'),
    costMicros: microsColumn(),
    conversionMicros: microsColumn(),
    /** Null until it is sorted. */
    classification: p.string().$type<Classification>().strictNullable(),
    classificationStatus: p.string().$type<ClassificationStatus>().strictNullable(),
    /** What the classifier goes by, with its numbers. */
    reason: p.text().strictNullable(),
    note: p.text().strictNullable(),
    decidedByName: p.string().strictNullable(),
    decidedOn: instantColumn().strictNullable(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'search_terms_day', properties: ['campaignId', 'term', 'date'] }],
  indexes: [
    // With the tenant, so that pages are counted in the index alone.
    { name: 'search_terms_by_campaign', properties: ['campaignId', 'id', 'tenantId'] },
    { name: 'search_terms_sorted', properties: ['campaignId', 'classification', 'id', 'tenantId'] },
    {
      name: 'search_terms_unsorted',
      properties: ['campaignId', 'term'],
      where: 'classification is null',
    },
    { name: 'search_terms_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'search_terms_by_classification', properties: ['tenantId', 'classification', 'id'] },
  ],
  filters: ownedByTenant,
})
export type SearchTermRow = InferEntity<typeof SearchTermReport>
