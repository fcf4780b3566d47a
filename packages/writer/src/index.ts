export { type Passage, type PieceKind, pieceKinds, type StructuredBrief } from './brief.ts'
export { compose } from './compose.ts'
export { knowledgeQuery } from './steps.ts'
