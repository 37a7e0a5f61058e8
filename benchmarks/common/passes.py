"""What collecting hidden states is compared with: the usual way, and the trunk alone."""

import torch


def passes(model, trunk, tokens) -> dict:
    """`usual` keeps the last token's states of all layers of the whole model, `forward` runs the trunk."""

    @torch.inference_mode()
    def usual():
        return torch.stack([layer[:, -1] for layer in model(input_ids=tokens, output_hidden_states=True).hidden_states])

    @torch.inference_mode()
    def forward():
        return trunk(input_ids=tokens, use_cache=False).last_hidden_state[:, -1]

    return {"usual": usual, "forward": forward}
