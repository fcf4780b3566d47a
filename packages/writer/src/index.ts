export { type PieceKind, pieceKinds, type StructuredBrief } from './brief.ts'
export { compose } from './compose.ts'
