/** The parts of a JSON Schema that the document works on. Others pass through. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  description?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  additionalProperties?: boolean | JsonSchema;
  required?: string[];
  type?: string | string[];
  pattern?: string;
  maximum?: number;
  $ref?: string;
}
