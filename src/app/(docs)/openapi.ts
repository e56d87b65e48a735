// Types for the part of OpenAPI 3.1 that this module generates: https://spec.openapis.org/oas/v3.1.1

/** The part of JSON Schema 2020-12 that the reference displays. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  description?: string
  schema: Schema
}

export type Content = Record<string, { schema?: Schema }>

export interface ApiResponse {
  description: string
  headers?: Record<string, { $ref: string }>
  content?: Content
}

export interface ApiOperation {
  operationId: string
  summary: string
  description: string
  tags: [string]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, ApiResponse>
  security: Record<string, []>[]
  /** The permission that a caller must hold. */
  'x-permission'?: string
  'x-scope'?: string
}

export interface OpenApi {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, ApiOperation>>
  components: { schemas: Record<string, Schema>; headers: Record<string, unknown> }
}
