import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { StemmedLanguage } from '../stemming/function-words.ts'
import type { FileSource, FileStatus, ParserEngine, ParseType } from './schemas.ts'

/** A collection of a tenant's files that is searched as one. */
export const Dataset = defineEntity({
  name: 'Dataset',
  tableName: 'datasets',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    /** What commands call it; one of those that every tenant has. */
    slug: p.string(),
    name: p.string(),
    description: p.text().strictNullable(),
    /** Tokens of a chunk; a token is four characters. They count from the next ingestion of a file. */
    chunkSize: p.integer(),
    chunkOverlap: p.integer(),
    parseType: p.string().$type<ParseType>(),
    parserEngine: p.string().$type<ParserEngine>(),
    /** Agents that may search it; null is every agent. */
    allowedAgentRoles: p.json().$type<string[]>().strictNullable(),
    /** Languages that files of it have or had; null or none is English, as all were indexed before languages were told apart. */
    languages: p.json().$type<StemmedLanguage[]>().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'datasets_slug', properties: ['tenantId', 'slug'] }],
  filters: ownedByTenant,
})

export type DatasetRow = InferEntity<typeof Dataset>

/** A file of a dataset. Its bytes are a blob of the tenant under the file's id. */
export const KnowledgeFile = defineEntity({
  name: 'KnowledgeFile',
  tableName: 'knowledge_files',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    datasetId: refColumn(),
    fileName: p.string(),
    /** By what is in it, whatever it was called. */
    mimeType: p.string(),
    fileSizeBytes: p.integer(),
    /** Of the bytes, lower-case hex. */
    sha256: p.string().length(64),
    source: p.string().$type<FileSource>(),
    /** The work on it; a file that is not enabled is shown as `disabled`. */
    status: p.string().$type<Exclude<FileStatus, 'disabled'>>(),
    /** Of the ingestion that is under way, 0 to 100. */
    progress: p.integer(),
    enabled: p.boolean(),
    /** Why the last ingestion failed, for people. */
    errorMessage: p.text().strictNullable(),
    /** It is in `error` since its tenant may spend no more on embeddings, and goes on by itself when it may. */
    awaitsMoney: p.boolean().default(false),
    /** How it is to be ingested; null where the dataset says it. */
    chunkSize: p.integer().strictNullable(),
    chunkOverlap: p.integer().strictNullable(),
    parseType: p.string().$type<ParseType>().strictNullable(),
    parserEngine: p.string().$type<ParserEngine>().strictNullable(),
    chunksCount: p.integer(),
    /** Which of its chunks are searched; 0 before the first ingestion. New ones are made beside them under the next number. */
    version: p.integer(),
    /** What all vectors of those chunks are of; null where one has none, or one of another model. */
    model: p.string().strictNullable(),
    /** By whose rules the words of those chunks are stemmed; null is English, of which no one has asked yet. */
    language: p.string().$type<StemmedLanguage>().strictNullable(),
    /** Of the page that it was read from. */
    url: p.text().strictNullable(),
    publishedAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'knowledge_files_by_dataset', properties: ['datasetId', 'id'] },
    { name: 'knowledge_files_size', properties: ['tenantId', 'fileSizeBytes'] },
    {
      name: 'knowledge_files_at_work',
      properties: ['status', 'id'],
      where: "status in ('pending', 'parsing', 'embedding')",
    },
    {
      name: 'knowledge_files_without_money',
      properties: ['tenantId', 'id'],
      where: 'awaits_money = true',
    },
  ],
  filters: ownedByTenant,
})

export type KnowledgeFileRow = InferEntity<typeof KnowledgeFile>

/** A piece of a file that is found as one. It never changes. */
export const KnowledgeChunk = defineEntity({
  name: 'KnowledgeChunk',
  tableName: 'knowledge_chunks',
  properties: {
    /** Under this number stand its words in the full-text index. */
    seq: p.integer().primary().autoincrement(),
    id: refColumn(),
    tenantId: refColumn(),
    datasetId: refColumn(),
    fileId: refColumn(),
    /** Searched when it is the version of the file. */
    version: p.integer(),
    /** Its place in the file, from 0. */
    ordinal: p.integer(),
    text: p.text(),
    /** The headings above it, from the outermost: `Products › Morning Oats`. */
    heading: p.text().strictNullable(),
    page: p.integer().strictNullable(),
    /** Of heading and text, lower-case hex: what has the same was embedded before. */
    sha256: p.string().length(64),
    /** What its vector is of: provider, model and dimensions. Null without a vector. */
    model: p.string().strictNullable(),
    /** 32-bit floats, little-endian, of length 1. */
    vector: p.blob().strictNullable(),
    /** What the index of words has in place of heading and text, where they are not in English. */
    headingStems: p.text().strictNullable(),
    textStems: p.text().strictNullable(),
  },
  uniques: [
    { name: 'knowledge_chunks_id', properties: ['id'] },
    { name: 'knowledge_chunks_place', properties: ['fileId', 'version', 'ordinal'] },
  ],
  indexes: [
    { name: 'knowledge_chunks_by_dataset', properties: ['datasetId', 'seq'] },
    { name: 'knowledge_chunks_by_content', properties: ['tenantId', 'sha256', 'model'] },
  ],
  filters: ownedByTenant,
})

export const knowledgeEntities = [Dataset, KnowledgeFile, KnowledgeChunk]
