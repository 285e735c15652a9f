import type { Post } from 'social-publishing';
import { FieldError } from '../parts/field-problems.js';
import { Form } from '../parts/Form.js';
import { TimeField } from '../parts/TimeField.js';
import { reschedule } from '../state/reschedule.js';
import { fromField, toField } from '../state/time.js';
import { isLost } from '../world/lost.js';
import { wordsOfAction } from '../world/blame.js';

/** Moves a scheduled post to another time. The service's refusal is shown at the field. */
export function RescheduleForm({ post }: { readonly post: Post }) {
  const shown = toField(post.scheduledFor ?? '');
  return (
    <Form
      submit="Reschedule"
      label="Reschedule the post"
      class="form time-form"
      onSubmit={async ({ time = '' }) => {
        try {
          await reschedule(post, fromField(time));
        } catch (error) {
          if (await isLost(error)) throw error;
          throw new FieldError('time', await wordsOfAction(error));
        }
      }}
    >
      <TimeField key={shown} label="Time" first={shown} />
    </Form>
  );
}
