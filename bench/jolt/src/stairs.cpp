// Boxes above twenty steps, as in our own scene, in Jolt.
#include "world.h"
#include <Jolt/Physics/Collision/ContactListener.h>
#include <algorithm>

using namespace JPH;

namespace {

struct Depth : ContactListener {
    float deepest = 0;
    void see(const ContactManifold &contact) { deepest = std::max(deepest, contact.mPenetrationDepth); }
    void OnContactAdded(const Body &, const Body &, const ContactManifold &contact, ContactSettings &) override {
        see(contact);
    }
    void OnContactPersisted(const Body &, const Body &, const ContactManifold &contact, ContactSettings &) override {
        see(contact);
    }
};

struct Stairs : World {
    Depth depth;

    explicit Stairs(int layers) {
        for (int i = 0; i < 20; i++) box(Vec3(0.25f, 0.5f, 5), Vec3(0.5f * i + 0.25f, -0.25f * i - 0.5f, 0), false);
        box(Vec3(30, 0.5f, 30), Vec3(10, -5.5f, 0), false);
        box(Vec3(0.5f, 10, 5), Vec3(-0.5f, 0, 0), false);
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < 10; j++)
                for (int k = 0; k < layers; k++) {
                    const float o = 0.008f * ((i * 7 + j * 3 + k * 5) % 5) - 0.016f;
                    const Vec3 at(0.3f + 0.25f * i + o, 0.5f + 0.25f * k, 1.125f - 0.25f * j + o);
                    box(Vec3::sReplicate(0.1f), at, true);
                }
        system.OptimizeBroadPhase();
    }
};

}  // namespace

extern "C" Stairs *stairs_new(int layers) { return new Stairs(layers); }

// Steps, and looks how deep bodies are in each other before the step if asked.
extern "C" void stairs_step(Stairs *stairs, double seconds, bool look) {
    stairs->system.SetContactListener(look ? &stairs->depth : nullptr);
    stairs->step(seconds);
}

// The deepest penetration seen so far.
extern "C" double stairs_deepest(const Stairs *stairs) { return stairs->depth.deepest; }
