/** A webhook receiver as an AWS Lambda function with a function URL. */
// docs: start
import { createWebhookReceiver } from 'social-publishing/webhooks';

const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  on: {
    default: (event) => {
      console.log(event.type, event.id);
    },
  },
});

export async function handler(event: FunctionUrlEvent): Promise<FunctionUrlResult> {
  const { method } = event.requestContext.http;
  const body = event.body === undefined ? null : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  const request = new Request('https://lambda.invalid/', {
    method,
    headers: event.headers,
    body: method === 'POST' ? body : null,
  });
  const response = await receiver.fetch(request);
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
// docs: end

/** The fields of the event (payload format 2.0) that this program uses. For all fields, see @types/aws-lambda. */
interface FunctionUrlEvent {
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
}

interface FunctionUrlResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
