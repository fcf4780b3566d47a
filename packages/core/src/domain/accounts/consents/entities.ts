import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'

/** How a person has answered: asked by the assistant's own program (MCP elicitation), or with a login of their own. */
export const answerWays = ['elicitation', 'login'] as const
export type AnswerWay = (typeof answerWays)[number]

/** One act that an assistant wants to carry out for a person, as it was shown, and what the person says to it. */
export const Consent = defineEntity({
  name: 'Consent',
  tableName: 'consents',
  properties: {
    id: idColumn(),
    /** In whose name it would be done; no one else sees it or answers. */
    userId: refColumn(),
    /** The API key that asked: only that one can use the answer. */
    keyId: refColumn().strictNullable(),
    /** The assistant, as it names itself. */
    assistant: p.string(),
    operation: p.string(),
    /** The command as it would be typed. */
    line: p.text(),
    /** What it would touch. */
    touches: p.text(),
    /** SHA-256 over the act: its input, what was shown of it, and the texts that it decides over. */
    actHash: p.string().length(64),
    agreed: p.boolean().strictNullable(),
    answeredHow: p.string().$type<AnswerWay>().strictNullable(),
    answeredOn: instantColumn().strictNullable(),
    usedOn: instantColumn().strictNullable(),
    expiresAt: instantColumn(),
    createdOn: instantColumn(),
  },
  indexes: [
    { name: 'consents_by_user', properties: ['userId', 'id'] },
    { name: 'consents_by_expiry', properties: ['expiresAt'] },
  ],
})
export type ConsentRow = InferEntity<typeof Consent>
